import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/time.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { ending, live } from '../support/sync-queries.ts'

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

it.each([404, 414, 431])('a cursor that is refused with %i is lost, too', async (status) => {
  const test = await synced()
  test.sim.faults.add({ path, hasCursor: true, nth: 1, effect: { kind: 'status', status } })
  const { userId } = test.sim.primary.users.add()
  expect(await test.run('users', 'incremental')).toMatchObject({ outcome: 'success', mode: 'full' })
  expect(test.observed.resets).toEqual(['users'])
  expect(test.query('select user_id from users where user_id = ?', userId)).toHaveLength(1)
})

it('the stored cursor is replaced only when the full sync succeeds, which continues where it failed', async () => {
  const test = await synced()
  const before = await stored(test)
  test.sim.invalidateCursors()
  const fault = test.sim.faults.add({ path, page: 3, effect: { kind: 'status', status: 403 } })
  expect(ending(await test.run('users', 'incremental'))).toBe('missing_permission')
  expect(await stored(test)).toBe(before)
  await test.restart()
  test.sim.faults.remove(fault.id)
  test.clock.advance(5 * minuteMs)
  const result = await test.run('users', 'incremental')
  expect([result.outcome, result.mode]).toEqual(['success', 'full'])
  expect(await stored(test)).not.toBe(before)
  expect(test.observed.resets).toEqual(['users'])
})

it('a cursor refused again within a full sync interval is counted, and incremental syncs rest until the next full sync', async () => {
  const test = await synced()
  test.sim.invalidateCursors()
  expect(ending(await test.run('users', 'incremental'))).toBe('success')
  test.clock.advance(5 * minuteMs)
  test.sim.invalidateCursors()
  const again = await test.run('users', 'incremental')
  expect([again.outcome, again.reason, again.mode]).toEqual(['skipped', null, 'incremental'])
  expect(test.observed.resets).toEqual(['users', 'users'])
  test.sim.requests.clear()
  for (let n = 0; n < 3; n++) {
    test.clock.advance(5 * minuteMs)
    if (n === 1) await test.restart()
    expect((await test.run('users', 'incremental')).outcome).toBe('skipped')
  }
  expect(test.sim.requests.count()).toBe(0)
  expect(test.query("select 1 from sync_states where resource = 'users' and incremental_reason is not null")).toEqual(
    [],
  )
  expect(ending(await test.run('users', 'full'))).toBe('success')
  expect((await test.run('users', 'incremental')).outcome).toBe('success')
  expect(test.observed.resets).toEqual(['users', 'users'])
})

it('a tenant that refuses every cursor at the end costs one full sync a full sync interval', async () => {
  const test = await synced()
  const last = () => test.sim.requests.filter(({ endpoint }) => endpoint === path).length
  test.sim.onRequest(({ cursor }) => {
    if (cursor === null) test.sim.invalidateCursors()
  })
  for (let n = 0; n < 12; n++) {
    await test.run('users', 'incremental')
    test.clock.advance(5 * minuteMs)
  }
  expect(test.observed.resets.length).toBeLessThanOrEqual(2)
  expect(last()).toBeLessThanOrEqual(20)
})

it.each([1, 2])('a cursor refused %i times in the middle of a full sync', async (times) => {
  const test = await testEngine({ settings, sizes: { users: 200 } })
  test.sim.faults.add({ path, page: 3, times, effect: refusal })
  const result = await test.run('users', 'full')
  // Once it restarts the full sync; a second time in the run ends it.
  expect(ending(result)).toBe(times === 1 ? 'success' : 'invalid_cursor')
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success', reason: null })
  expect(live(test, 'users')).toBe(200)
  expect(test.observed.events).toEqual([])
})

it.each(['users', 'documents'] as const)(
  'a 400 of %s without a cursor is client_error and names pageSizeParameter',
  async (resource) => {
    const test = await testEngine({ settings })
    test.sim.faults.add({ path: `/api/public/${resource}`, hasCursor: false, effect: refusal })
    const result = await test.run(resource, 'full')
    expect(ending(result)).toBe('client_error')
    expect(result.hint).toContain('api.pageSizeParameter')
  },
)

it('a cursor that another tenant refuses costs a full sync once its own one answers again', async () => {
  const test = await synced()
  test.sim.swapTenant('reader')
  expect(ending(await test.run('users', 'incremental'))).toBe('tenant_changed')
  expect(test.observed.resets).toEqual(['users'])
  test.sim.swapTenant('reader')
  test.clock.advance(6 * minuteMs)
  expect(await test.run('users', 'incremental')).toMatchObject({ outcome: 'success', mode: 'full' })
})
