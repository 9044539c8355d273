import { expect, it, vi } from 'vitest'
import { SyncError } from '../../src/model/errors.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import { hourMs, minuteMs } from '../../src/model/time.ts'
import { bothSides, type TestEngine, type TestEngineOptions, testEngine } from '../support/engine.ts'
import { ending, first } from '../support/sync-queries.ts'

const tenant: TestEngineOptions = {
  sizes: { users: 23, documents: 23 },
  readings: { defaultPageSize: { users: 5, documents: 5 } },
}
const quiet = { userDetails: { perRun: 0 } }

const cursorsAsked = ({ sim }: TestEngine, resource: ResourceName) =>
  sim.requests.filter(({ endpoint }) => endpoint === `/api/public/${resource}`).map(({ cursor }) => cursor)

/** Starts a full sync that ends while its n-th request to the resource is in flight, by abort or by a kill. */
async function stopAt(test: TestEngine, resource: ResourceName, nth: number, how: 'abort' | 'kill'): Promise<void> {
  const stop = new AbortController()
  let asked = 0
  const end = test.sim.onRequest(async ({ endpoint }) => {
    if (endpoint !== `/api/public/${resource}` || ++asked !== nth) return
    if (how === 'kill') await test.crash()
    stop.abort()
  })
  const result = await test.run(resource, 'full', stop.signal)
  end()
  expect(result).toMatchObject({ outcome: 'failure', reason: 'aborted' })
}

const stops = (['users', 'documents'] as const).flatMap((resource) =>
  [1, 2, 3, 5].flatMap((page) => (['abort', 'kill'] as const).map((how) => [resource, page, how] as const)),
)

it.each(stops)('continues with the %s where page %i was in flight at the %s', async (resource, page, how) => {
  const test = await testEngine({ ...tenant, settings: quiet })
  await stopAt(test, resource, page, how)
  const { outcome, mode } = await test.run(resource, 'full')
  expect([outcome, mode]).toEqual(['success', 'full'])
  const asked = cursorsAsked(test, resource)
  const repeated = asked.filter((cursor, at) => asked.indexOf(cursor) !== at)
  // A kill also ends the write of the page before, which the next request runs beside.
  const inFlight = asked.slice(how === 'kill' ? Math.max(0, page - 2) : page - 1, page)
  // Of documents, the first page comes again to know the tenant after a start.
  if (how === 'kill' && resource === 'documents') inFlight.push(null)
  expect(inFlight).toEqual(expect.arrayContaining(repeated))
  expect(repeated).toEqual([...new Set(repeated)])
  const { mirrored, truth } = await bothSides(test, ['documents'].includes(resource) ? ['documents'] : [])
  expect(mirrored).toEqual(truth)
  expect(test.query(`select count(*) as n from ${resource}`)).toEqual([{ n: 23 }])
  expect(test.sim.violations).toEqual([])
})

it('does not mark the resource as failing when a run is aborted', async () => {
  const test = await testEngine({ ...tenant, settings: quiet })
  await test.run('users', 'full')
  const before = await test.mirror.syncState(test.engine.tenantId, 'users')
  test.clock.advance(minuteMs)
  await stopAt(test, 'users', 3, 'abort')
  const after = await test.mirror.syncState(test.engine.tenantId, 'users')
  const now = test.clock.now()
  expect(after).toEqual({ ...before, fullAttemptAt: now, serverTime: now, serverTimeAt: now })
})

it('starts a full sync again after an idle time longer than half the freshness limit, and continues it before', async () => {
  for (const [idle, again] of [
    [90 * minuteMs, false],
    [91 * minuteMs, true],
  ] as const) {
    const test = await testEngine({ ...tenant, settings: quiet })
    await stopAt(test, 'users', 3, 'abort')
    test.clock.advance(idle)
    test.sim.requests.clear()
    await test.run('users', 'full')
    expect(cursorsAsked(test, 'users')).toHaveLength(again ? 5 : 3)
    expect(cursorsAsked(test, 'users')[0] === null).toBe(again)
    const [state] = test.query("select complete_started_at, full_success_at from sync_states where resource = 'users'")
    const startedAt = test.clock.now() - (again ? 0 : idle)
    expect(state).toEqual({ complete_started_at: startedAt, full_success_at: startedAt })
  }
})

it('counts a wait that the tenant asked for as no idle time', async () => {
  const test = await testEngine({ ...tenant, settings: quiet })
  await stopAt(test, 'users', 3, 'abort')
  await test.mirror.noteWait(test.engine.tenantId, 'users', test.clock.now() + 120 * minuteMs)
  test.clock.advance(200 * minuteMs)
  test.sim.requests.clear()
  await test.run('users', 'full')
  expect(cursorsAsked(test, 'users')).toHaveLength(3)
})

it('retries the incremental sync from before a full sync in the next run when it failed, and decides nothing before', async () => {
  const test = await testEngine({ ...tenant, settings: quiet })
  await test.run('api-clients')
  await test.run('users', 'full')
  const [user] = [...test.sim.primary.users.all()]
  test.sim.primary.users.remove(user?.userId ?? 0)
  test.clock.advance(hourMs)
  const before = test.query("select cursor from sync_states where resource = 'users'")[0]?.['cursor']
  const end = test.sim.onRequest(({ cursor }) => {
    if (cursor === before) test.sim.faults.add({ path: '/api/public/users', effect: { kind: 'status', status: 500 } })
  })
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'failure', reason: 'server_error' })
  end()
  expect(test.query('select count(*) as n from users where missing_since is not null')).toEqual([{ n: 0 }])
  test.sim.faults.clear()
  test.sim.requests.clear()
  expect(await test.run('users', 'full')).toMatchObject({ outcome: 'success' })
  expect(cursorsAsked(test, 'users')).toEqual([before])
  const { mirrored } = await bothSides(test, ['users'])
  expect(mirrored.users).toHaveLength(22)
})

it('resumes a full sync that could not be stored at its end, without a request', async () => {
  const readings = { lastPageCursor: { users: false } }
  const test = await testEngine({ problems: false, sizes: { users: 40 }, readings, settings: quiet })
  await test.runAll('full')
  for (const left of [3, 3, 1]) {
    test.clock.advance(48 * hourMs)
    test.sim.primary.users.removeWhere(first(left))
    if (left === 1) vi.spyOn(test.mirror, 'completeFullSync').mockRejectedValueOnce(new SyncError('store', 'Full'))
    expect(ending(await test.run('users', 'full'))).toBe(left === 1 ? 'store' : 'success')
  }
  test.clock.advance(20 * minuteMs)
  expect(ending(await test.run('users', 'full'))).toBe('success')
})
