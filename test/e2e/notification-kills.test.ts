import { expect, it } from 'vitest'
import { killDaemons } from './support/notification-kills.ts'
import { postgresServer } from './support/postgres-server.ts'

/** Of all daemons; a thousand take a quarter of an hour. */
const kills = Number(process.env['TENANTWATCH_RANDOM_KILLS'] ?? 25)
const seed = Number(process.env['TENANTWATCH_SEED'] ?? 1)

/** Side by side, because a daemon waits most of the time. */
const daemons = kills > 100 ? 20 : 5

it('delivers each event in order, and once in each process, however often the daemon is killed', async () => {
  const seeds = Array.from({ length: daemons }, (_, i) => seed + i)
  const results = await Promise.all(seeds.map((one) => killDaemons(Math.ceil(kills / daemons), one)))
  const figures = results.map(({ problems: _, ...figure }) => Object.entries(figure).flat().join(' '))
  console.info(`\n${figures.join('\n')}`)
  expect(results.flatMap(({ problems }) => problems)).toEqual([])
  expect(results.some(({ told }) => told > 1)).toBe(true)
})

it('loses nothing and repeats nothing out of order when another replica takes over', async () => {
  const { problems, told } = await killDaemons(5, seed, await postgresServer())
  expect(problems).toEqual([])
  expect(told).toBeGreaterThan(1)
})
