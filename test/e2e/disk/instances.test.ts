import { expect, it } from 'vitest'
import { program, until, world } from '../support/program.ts'
import { brokenIn } from './support/broken.ts'

it('lets exactly one of two to ten engines work, round after round, and another one after a kill', async () => {
  const { place } = await world({ sizes: { users: 40 } })
  for (const count of [2, 3, 10, 2, 5, 10]) {
    const engines = Array.from({ length: count }, () => program(place, 'run'))
    const isOver = ({ child }: (typeof engines)[number]) => child.exitCode !== null || child.signalCode !== null
    const listening = () => engines.filter(({ stderr }) => stderr.includes('"msg":"Listening"'))
    await until(() => {
      if (engines.every(isOver)) throw new Error(`nobody works: ${engines.map(({ stderr }) => stderr).join('\n')}`)
      return listening().length > 0 && engines.filter(isOver).length === count - 1
    })
    const [winner, ...more] = engines.filter((engine) => !isOver(engine))
    expect(more).toEqual([])
    expect(listening()).toEqual([winner])
    for (const loser of engines.filter(isOver)) {
      const { code, stdout, stderr } = await loser.ended
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toMatch(
        /\n\{"level":60,.*"msg":"Another tenantwatch engine .* is working on .*mirror\.db; stop it first/,
      )
    }
    winner?.child.kill('SIGKILL')
    await winner?.ended
  }
  expect(await program(place, 'sync', '--full').ended).toMatchObject({ code: 0 })
  expect(brokenIn(place.store)).toEqual([])
  expect((await program(place, 'export', 'users').ended).stdout.trimEnd().split('\n')).toHaveLength(40)
})
