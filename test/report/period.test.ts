import { expect, it } from 'vitest'
import { readDataQuality } from '../../src/evaluate/data-quality.ts'
import { inputSnapshot } from '../../src/evaluate/past-store.ts'
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import { periodOf } from '../../src/report/period.ts'
import { settings, user } from '../checks/support/facts.ts'
import { sqliteWorld, waiver } from '../evaluate/support/sqlite-world.ts'
import { tenantSettings } from '../evaluate/support/tenant-settings.ts'

const lacking = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => user({ userId: from + i, mfaStatus: false }))

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
  const past = await world.mirror.past(world.now, true)
  const span = { from, to: world.now }
  const period = await periodOf(past, world.tenantId, span, [
    { resource: 'users', enabled: true, freshnessLimitMs: 3 * hourMs },
  ])
  const high = period.findings.find(({ severity }) => severity === 'high')
  expect(high).toEqual({ severity: 'high', opened: 1, resolved: 3, fixed: 3, medianHoursToFix: 52.0333 })
  const spans = period.waivers.map((one) => ({ ...one, from: Date.parse(one.from), until: Date.parse(one.until) }))
  expect(spans).toMatchObject([
    { id: 'w1', check: 'user-mfa-enrolled', lapsed: 0 },
    { id: 'w2', until: w2.expiresMs, lapsed: 0 },
    { id: 'w1', from: (spans[0]?.until ?? 0) + 5 * minuteMs, until: from + 30 * dayMs },
  ])
  expect(period.resources).toEqual([{ resource: 'users', hoursWithoutData: 1 }])
  expect(period.holds).toEqual([])
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
  const past = await mirror.past(world.now, true)
  const { holds } = await periodOf(past, tenantId, { from, to: world.now }, [])
  expect(holds).toMatchObject([{ resource: 'users', count: 6, ended: null }])
})
