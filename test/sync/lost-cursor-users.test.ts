import { expect, it } from 'vitest'
import { hourMs, minuteMs } from '../../src/model/durations.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { asked, ending, live } from '../support/trust.ts'

const settings = { userDetails: { perRun: 0 } }
const path = '/api/public/users'
const refusal = { kind: 'status', status: 400, code: 'VALIDATION_FAILED' } as const

const stored = async (test: TestEngine) => (await test.mirror.syncState(test.engine.tenantId, 'users')).cursor

async function synced(): Promise<TestEngine> {
  const test = await testEngine({ settings, sizes: { users: 120 } })
  expect(ending(await test.run('users'))).toBe('success')
  test.clock.advance(5 * minuteMs)
  test.sim.requests.clear()
  return test
}

it('a refused cursor is counted, and a sweep at once brings another', async () => {
  const test = await synced()
  const before = await stored(test)
  test.sim.invalidateCursors()
  const { userId } = test.sim.primary.addUser()
  const result = await test.run('users', 'poll')
  expect([result.outcome, result.mode, result.counts.created]).toEqual(['success', 'sweep', 1])
  expect(test.told.resets).toEqual(['users'])
  expect(test.query('select user_id from users where user_id = ?', userId)).toHaveLength(1)
  expect(await stored(test)).not.toBe(before)
  test.sim.requests.clear()
  expect((await test.run('users', 'poll')).mode).toBe('poll')
  expect(asked(test)).toEqual(['users?cursor'])
})

it('the stored cursor is replaced only when the sweep succeeds, which goes on where it failed', async () => {
  const test = await synced()
  const before = await stored(test)
  test.sim.invalidateCursors()
  const fault = test.sim.faults.add({ path, page: 3, effect: { kind: 'status', status: 403 } })
  expect(ending(await test.run('users', 'poll'))).toBe('missing_permission')
  expect(await stored(test)).toBe(before)
  await test.restart()
  test.sim.faults.remove(fault.id)
  test.clock.advance(5 * minuteMs)
  const result = await test.run('users', 'poll')
  expect([result.outcome, result.mode]).toEqual(['success', 'sweep'])
  expect(await stored(test)).not.toBe(before)
  expect(test.told.resets).toEqual(['users'])
})

it('poll freshness is not renewed before the sweep completed', async () => {
  const test = await synced()
  const state = () => test.mirror.syncState(test.engine.tenantId, 'users')
  const { pollSuccessAt } = await state()
  test.sim.invalidateCursors()
  const fault = test.sim.faults.add({ path, page: 2, effect: { kind: 'status', status: 403 } })
  for (let n = 0; n < 3; n++) {
    expect((await test.run('users', 'poll')).outcome).toBe('failure')
    test.clock.advance(5 * minuteMs)
  }
  expect((await state()).pollSuccessAt).toBe(pollSuccessAt)
  test.sim.faults.remove(fault.id)
  expect(ending(await test.run('users', 'poll'))).toBe('success')
  expect(Number((await state()).pollSuccessAt)).toBeGreaterThan(Number(pollSuccessAt))
})

it('a cursor refused again within a sweep interval is counted, and polls rest until the next sweep', async () => {
  const test = await synced()
  test.sim.invalidateCursors()
  expect(ending(await test.run('users', 'poll'))).toBe('success')
  test.clock.advance(5 * minuteMs)
  test.sim.invalidateCursors()
  const again = await test.run('users', 'poll')
  expect([again.outcome, again.reason, again.mode]).toEqual(['failure', 'invalid_cursor', 'poll'])
  expect(test.told.resets).toEqual(['users', 'users'])
  test.sim.requests.clear()
  for (let n = 0; n < 3; n++) {
    test.clock.advance(5 * minuteMs)
    if (n === 1) await test.restart()
    expect((await test.run('users', 'poll')).outcome).toBe('skipped')
  }
  expect(test.sim.requests.count()).toBe(0)
  expect(ending(await test.run('users', 'sweep'))).toBe('success')
  expect((await test.run('users', 'poll')).outcome).toBe('success')
  expect(test.told.resets).toEqual(['users', 'users'])
})

it('a cursor refused after a sweep interval makes a sweep at once again', async () => {
  const test = await synced()
  test.sim.invalidateCursors()
  expect((await test.run('users', 'poll')).mode).toBe('sweep')
  await test.restart()
  test.clock.advance(hourMs)
  test.sim.invalidateCursors()
  const result = await test.run('users', 'poll')
  expect([result.outcome, result.mode]).toEqual(['success', 'sweep'])
  expect(test.told.resets).toEqual(['users', 'users'])
})

it('a tenant that refuses every cursor at the end costs one sweep a sweep interval', async () => {
  const test = await synced()
  const last = () => test.sim.requests.filter(({ endpoint }) => endpoint === path).length
  test.sim.onRequest(({ cursor }) => {
    if (cursor === null) test.sim.invalidateCursors()
  })
  for (let n = 0; n < 12; n++) {
    await test.run('users', 'poll')
    test.clock.advance(5 * minuteMs)
  }
  expect(test.told.resets.length).toBeLessThanOrEqual(2)
  expect(last()).toBeLessThanOrEqual(20)
})

it.each([1, 2])('a cursor refused %i times in mid-walk', async (times) => {
  const test = await testEngine({ settings, sizes: { users: 200 } })
  test.sim.faults.add({ path, page: 3, times, effect: refusal })
  const result = await test.run('users', 'sweep')
  // Once it restarts the walk; a second time in the run ends it.
  expect(ending(result)).toBe(times === 1 ? 'success' : 'invalid_cursor')
  expect(await test.run('users', 'sweep')).toMatchObject({ outcome: 'success', reason: null })
  expect(live(test, 'users')).toBe(200)
  expect(test.told.events).toEqual([])
})

it('a refused cursor after a restart in mid-walk begins the walk anew', async () => {
  const test = await testEngine({ settings, sizes: { users: 200 } })
  const fault = test.sim.faults.add({ path, page: 3, effect: { kind: 'status', status: 403 } })
  await test.run('users', 'sweep')
  test.sim.faults.remove(fault.id)
  test.sim.invalidateCursors()
  await test.restart()
  expect(ending(await test.run('users', 'sweep'))).toBe('success')
  expect(live(test, 'users')).toBe(200)
})

it.each(['users', 'documents'] as const)(
  'a 400 of %s without a cursor is client_error and names pageSizeParameter',
  async (resource) => {
    const test = await testEngine({ settings })
    test.sim.faults.add({ path: `/api/public/${resource}`, hasCursor: false, effect: refusal })
    const result = await test.run(resource, 'sweep')
    expect(ending(result)).toBe('client_error')
    expect(result.hint).toContain('api.pageSizeParameter')
  },
)

it('a page size that the tenant refuses is client_error with a hint', async () => {
  const test = await testEngine({
    settings: { ...settings, api: { pageSizeParameter: 'limit', pageSize: 5000 } },
    readings: { badPageSize: 'reject' },
  })
  const result = await test.run('users', 'sweep')
  expect(ending(result)).toBe('client_error')
  expect(result.hint).toContain('api.pageSizeParameter')
})

it('a 400 with and without a cursor keeps the stored cursor', async () => {
  const test = await synced()
  const before = await stored(test)
  const fault = test.sim.faults.add({ path, effect: refusal })
  expect(ending(await test.run('users', 'poll'))).toBe('client_error')
  expect(await stored(test)).toBe(before)
  test.sim.faults.remove(fault.id)
  expect(ending(await test.run('users', 'poll'))).toBe('success')
  expect(live(test, 'users')).toBe(120)
})

it('a walk under way when the stored cursor is refused is begun anew', async () => {
  const test = await synced()
  test.clock.advance(hourMs)
  const stopped = test.sim.faults.add({ path, page: 3, effect: { kind: 'status', status: 403 } })
  expect(ending(await test.run('users', 'sweep'))).toBe('missing_permission')
  test.sim.faults.remove(stopped.id)
  const [changed] = test.sim.state().users()
  test.sim.primary.updateUser(changed?.userId ?? 0, { firstName: 'Changed behind the walk' })
  test.sim.faults.add({ path, hasCursor: true, times: 1, effect: refusal })
  test.sim.requests.clear()
  expect(await test.run('users', 'poll')).toMatchObject({ outcome: 'success', mode: 'sweep' })
  expect(asked(test).filter((line) => line === 'users')).toHaveLength(1)
  const named = test.query("select user_id from users where first_name = 'Changed behind the walk'")
  expect(named).toEqual([{ user_id: changed?.userId }])
})

it('a refused cursor that the sweep has none to replace by is forgotten, so that polls begin anew', async () => {
  const test = await testEngine({
    problems: false,
    settings,
    sizes: { users: 8 },
    readings: { defaultPageSize: { users: 5 }, lastPageCursor: { users: false } },
  })
  await test.run('users', 'sweep')
  expect(await stored(test)).not.toBeNull()
  let kept = 0
  test.sim.primary.removeUsers(() => ++kept > 4)
  test.sim.invalidateCursors()
  expect(await test.run('users', 'poll')).toMatchObject({ outcome: 'success', mode: 'sweep' })
  expect(await stored(test)).toBeNull()
  for (const _ of [1, 2]) expect(await test.run('users', 'poll')).toMatchObject({ outcome: 'success', mode: 'sweep' })
  expect(test.told.resets).toEqual(['users'])
})
