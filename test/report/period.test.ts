import { expect, it } from 'vitest'
import { readDataQuality } from '../../src/evaluate/data-quality.ts'
import { inputSnapshot } from '../../src/evaluate/past-store.ts'
import { resourceNames } from '../../src/model/resource-names.ts'
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import { configuredIn, periodOf } from '../../src/report/period.ts'
import type { TenantRow } from '../../src/store/port.ts'
import { settings, user } from '../checks/support/facts.ts'
import { sqliteWorld, waiver } from '../evaluate/support/sqlite-world.ts'
import { tenantSettings } from '../evaluate/support/tenant-settings.ts'

const lacking = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => user({ userId: from + i, mfaStatus: false }))

const off = { enabled: false }
const others = Object.fromEntries(resourceNames.map((name) => [name, off]))
const limited = (hours: number) => ({ resources: { ...others, users: { freshnessMs: hours * hourMs } } })

type World = Awaited<ReturnType<typeof sqliteWorld>>

async function periodSince({ mirror, now }: World, from: number) {
  const [past, [row]] = [await mirror.past(now, true), await mirror.tenants()]
  const span = { from, to: now }
  return periodOf(past, row as TenantRow, span, await configuredIn(past, span))
}

it('says what was opened, resolved and how long it took, which waivers were in force, and when there was no data', async () => {
  const world = await sqliteWorld()
  await world.sync({ 'authentication-settings': [settings()], users: [...lacking(1, 3)] })
  world.waivers = [waiver({ id: 'w0', entity: '1' })]
  await world.evaluate()
  world.waivers = []
  await world.evaluate()
  world.pass(2 * dayMs)
  const from = world.now
  await world.sync({ 'authentication-settings': [settings()], users: [user({ userId: 1 }), ...lacking(2, 3)] })
  const w1 = waiver({ entity: '2', expiresMs: from + 30 * dayMs })
  const w2 = waiver({ id: 'w2', entity: '4', expiresMs: from + hourMs })
  const over = waiver({ id: 'over', entity: '4', expiresMs: from + 1 })
  for (const waivers of [[w1, w2], [w2], [w1, w2, over]]) {
    world.waivers = waivers
    await world.evaluate()
    world.pass(5 * minuteMs)
  }
  world.pass(4 * hourMs - 15 * minuteMs)
  await world.sync({
    'authentication-settings': [settings()],
    users: [1, 2, 3, 4].map((userId) => user({ userId, ...(userId === 4 && { mfaStatus: false, roleName: 'Other' }) })),
  })
  await world.evaluate()
  world.pass(minuteMs)
  await world.configure(limited(3))
  const period = await periodSince(world, from)
  const high = period.findings.find(({ severity }) => severity === 'high')
  expect(high).toEqual({ severity: 'high', opened: 1, resolved: 3, fixed: 3, medianHoursToFix: 52.0333 })
  const spans = period.waivers.map((one) => ({ ...one, from: Date.parse(one.from), until: Date.parse(one.until) }))
  expect(spans).toMatchObject([
    { id: 'w1', check: 'user-mfa-enrolled', lapsed: 0 },
    { id: 'w2', until: w2.expiresMs, lapsed: 0 },
    { id: 'w1', from: (spans[0]?.until ?? 0) + 5 * minuteMs, until: from + 30 * dayMs },
  ])
  expect(period.resources).toEqual([{ resource: 'users', hoursWithoutData: 1, hoursOff: 0 }])
  expect(period.holds).toEqual([])
})

it('counts hours without data by the settings of each time, and those in which the list was off', async () => {
  const world = await sqliteWorld()
  const before = world.now - 60 * dayMs
  await world.configure(limited(25))
  await world.sync({ users: [user({ userId: 1 })] })
  world.pass(10 * dayMs)
  const from = world.now
  world.pass(dayMs)
  await world.configure({ resources: others })
  world.pass(2 * dayMs)
  await world.configure(limited(1000))
  world.pass(hourMs)
  expect((await periodSince(world, from)).resources).toEqual([
    { resource: 'users', hoursWithoutData: 24, hoursOff: 48 },
  ])
  // Nothing was asked for before the tenant was mirrored.
  const [users] = (await periodSince(world, before)).resources
  expect(users).toEqual({ resource: 'users', hoursWithoutData: 239, hoursOff: 48 })
})

it.each([
  ['success', null],
  ['failure', 'unauthorized'],
] as const)('counts a downtime over the beginning of the period once, after a first %s', async (outcome, reason) => {
  const world = await sqliteWorld()
  await world.configure(limited(25))
  await world.sync({ users: [user({ userId: 1 })] })
  world.pass(10 * dayMs)
  const [from, { mirror, tenantId }] = [world.now, world]
  world.pass(3 * dayMs)
  const at = world.now
  const run = { tenantId, resource: 'users', mode: 'incremental', startedAt: at, endedAt: at, dataAsOf: at } as const
  await mirror.closeRun({
    ...run,
    outcome,
    reason,
    message: null,
    reachedEndServerTime: null,
    answered: null,
    pages: 1,
  })
  if (outcome === 'success') await world.sync({ users: [user({ userId: 1 })] })
  const { resources } = await periodSince(world, from)
  expect(resources).toEqual([{ resource: 'users', hoursWithoutData: 72, hoursOff: 0 }])
})

it('does not end a hold whose list is switched off', async () => {
  const world = await sqliteWorld()
  await world.sync({ users: [user({ userId: 1 })] })
  const { tenantId, mirror, now: from } = world
  const hold = { tenantId, resource: 'users', reason: 'shrink_held', message: 'm', cause: {}, count: 1 } as const
  await mirror.raiseHold({ ...hold, rids: [1], at: world.now })
  for (const resources of [{}, { users: off }]) {
    world.pass(5 * minuteMs)
    const quality = await readDataQuality(mirror, { id: tenantId, settings: tenantSettings({ resources }) }, world.now)
    await mirror.noteTenantState(tenantId, inputSnapshot(quality, world.now), world.now)
  }
  expect((await periodSince(world, from)).holds).toMatchObject([{ resource: 'users', ended: null }])
})

it('does not end a hold that covers again what it covered before', async () => {
  const world = await sqliteWorld()
  await world.sync({ users: [user({ userId: 1 })] })
  const from = world.now
  const { tenantId, mirror } = world
  const hold = { tenantId, resource: 'users', reason: 'shrink_held', message: 'm', cause: {} } as const
  const ids: string[] = []
  // A seventh user is missing in one full sync and is listed again in the next one.
  for (const rids of [
    [1, 2, 3, 4, 5, 6],
    [1, 2, 3, 4, 5, 6, 7],
    [1, 2, 3, 4, 5, 6],
  ]) {
    world.pass(5 * minuteMs)
    ids.push((await mirror.raiseHold({ ...hold, count: rids.length, rids, at: world.now })).id)
    // As each evaluation of the daemon does.
    const request = { id: tenantId, settings: tenantSettings() }
    const quality = await readDataQuality(mirror, request, world.now)
    await mirror.noteTenantState(tenantId, inputSnapshot(quality, world.now), world.now)
  }
  expect(ids[2]).toBe(ids[0])
  world.pass(minuteMs)
  expect(await mirror.holds(tenantId)).toMatchObject([{ id: ids[0] }])
  const { holds } = await periodSince(world, from)
  expect(holds).toMatchObject([{ resource: 'users', count: 6, ended: null }])
})
