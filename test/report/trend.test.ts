import BetterSqlite3 from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { resourceNames } from '../../src/model/resource-names.ts'
import { dayMs, hourMs } from '../../src/model/time.ts'
import { configuredIn, holdsIn } from '../../src/report/period.ts'
import { readTrend } from '../../src/report/trend.ts'
import type { PastReader, TenantRow } from '../../src/store/port.ts'
import { settings, user } from '../checks/support/facts.ts'
import { sqliteWorld, waiver } from '../evaluate/support/sqlite-world.ts'

/** A tenant that is read and evaluated each day, where in the end so many users lack a second factor. */
async function lives(days: readonly (number | null)[]) {
  const daily = { freshnessMs: 25 * hourMs }
  const others = Object.fromEntries(resourceNames.map((name) => [name, { enabled: false }]))
  const world = await sqliteWorld(
    { resources: { ...others, users: daily, 'authentication-settings': daily } },
    2 * dayMs,
  )
  await world.configure()
  const [row] = await world.mirror.tenants()
  const start = world.now
  for (const [day, unenrolled] of days.entries()) {
    world.pass(start + day * dayMs - world.now)
    if (unenrolled === null) continue
    // PostgreSQL reads no JSON that has U+0000.
    const users = Array.from({ length: 10 }, (_, i) => user({ userId: i, roleName: '\0', mfaStatus: i >= unenrolled }))
    await world.sync({ 'authentication-settings': [settings()], users })
    await world.evaluate()
  }
  world.pass(hourMs)
  const trend = async (spanMs: number) => {
    const past = await world.mirror.past(world.now, true)
    const span = { from: world.now - spanMs, to: world.now }
    return readTrend(past, row as TenantRow, span, await configuredIn(past, span))
  }
  return { world, row: row as TenantRow, start, trend }
}

const high = (trend: Awaited<ReturnType<typeof readTrend>>) => trend.samples.map(({ open }) => open?.high ?? null)

it('samples the findings that were open each day, waived ones included, and nothing before the first result', async () => {
  const { world, trend } = await lives([3, 5, null, 2, 4])
  world.waivers = [waiver({ entity: '1' })]
  expect(high(await trend(6 * dayMs))).toEqual([null, null, 3, 5, 5, 2, 4])
  expect(high(await trend(2 * dayMs))).toEqual([5, 2, 4])
})

it('prepares no further statement for a later time', async () => {
  const { world, trend } = await lives([3])
  const prepare = vi.spyOn(BetterSqlite3.prototype, 'prepare')
  await trend(dayMs)
  prepare.mockClear()
  world.pass(1)
  await trend(dayMs)
  expect(prepare).not.toHaveBeenCalled()
})

it('has a hold that was raised after the clock had been ahead', async () => {
  const state = (at: number, ...ids: readonly string[]) => ({
    at,
    data: { state: { holds: ids.map((id) => ({ id })) } },
  })
  const past = { events: async () => [state(1), state(900), state(2, 'H-1')] } as unknown as PastReader
  expect(await holdsIn(past, 1, { from: 0, to: 10 })).toEqual([{ id: 'H-1', until: null }])
})

it('counts what was opened and resolved in weeks that end now', async () => {
  const { trend } = await lives([3, 5, null, null, null, null, null, null, 2, 4])
  const { weeks, medianHoursToFix } = await trend(14 * dayMs)
  expect(weeks.map(({ opened, resolved }) => [opened, resolved])).toEqual([
    [5, 0],
    [2, 3],
  ])
  expect(weeks.at(-1)?.medianHoursToFix).toBe(medianHoursToFix)
  const [shorter] = (await trend(8 * dayMs)).weeks
  expect(shorter).toMatchObject({ opened: 0, resolved: 0 })
  expect(medianHoursToFix).toBeGreaterThan(7 * 24 - 1)
})

it('marks where a resource had no fresh data, but not the time before the tenant was mirrored', async () => {
  const { trend, start } = await lives([3, null, null, 3, 3])
  const { gaps } = await trend(30 * dayMs)
  const hours = (time: number) => Math.round((time - start) / hourMs)
  expect(gaps.map(({ from, to }) => [hours(from), hours(to)])).toEqual([[25, 72]])
})
