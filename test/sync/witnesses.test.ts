import { expect, it } from 'vitest'
import { apiClientSecretNotExpired } from '../../src/checks/api-client-secret-not-expired.ts'
import { userRoleActive } from '../../src/checks/user-role-active.ts'
import type { Check } from '../../src/evaluate/check.ts'
import { evaluateTenant } from '../../src/evaluate/evaluate-tenant.ts'
import { SyncError } from '../../src/model/errors.ts'
import { silentLog } from '../../src/model/log.ts'
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { eraseAll } from '../support/erasure.ts'
import { seenChanges } from '../support/events.ts'
import { startTime } from '../support/fake-clock.ts'
import { ofData } from '../support/of-data.ts'
import { accept, ending, first, heldBack, live, theHold } from '../support/sync-queries.ts'
import { client, document, mirrored, role, user } from './support/two-tenants.ts'

const plain = { problems: false, settings: { userDetails: { perRun: 0 } } }
const clients = '/api/public/api-clients'

const without = (idField: string, ...ids: readonly unknown[]) =>
  ofData((data: Record<string, unknown>[]) => data.filter((one) => !ids.includes(one[idField])))

async function statusOf(test: TestEngine, check: Check) {
  const { mirror, settings, clock } = test
  const tenant = { id: test.engine.tenantId, settings }
  await Array.fromAsync(evaluateTenant({ store: mirror, tenant, checks: [check], now: clock.now(), log: silentLog() }))
  return (await mirror.checkStates(tenant.id)).find((one) => one.check === check.id)?.status
}

it('a record that first comes malformed is created in the history once it is well', async () => {
  const test = await testEngine({ ...plain, sizes: { users: 12 } })
  await test.runAll('full')
  const { userId } = test.sim.primary.users.add({ raw: { mfaStatus: 'yes' } })
  await test.run('users', 'full')
  test.sim.primary.users.update(userId, { raw: { mfaStatus: true } })
  await test.run('users', 'full')
  test.sim.primary.users.remove(userId)
  await test.run('users', 'full')
  const history = await test.mirror.records(test.engine.tenantId).history('users', `${userId}`)
  expect(history.map(({ kind }) => kind)).toEqual(['created', 'removed'])
})

it('a record that returns after its content was erased returns in the history', async () => {
  const test = await testEngine({ ...plain, sizes: { users: 12 } })
  await test.runAll('full')
  const [, gone] = [...test.sim.primary.users.all()]
  test.sim.primary.users.remove(gone?.userId ?? 0)
  await test.run('users', 'full')
  test.clock.advance(hourMs)
  await eraseAll(test.mirror, test.clock.now())
  test.sim.primary.users.add(gone)
  await test.run('users', 'full')
  expect(seenChanges(test.query).map(({ key, kind }) => [key, kind])).toEqual([[`${gone?.userId}`, 'returned']])
})

it('a client that a second reading may have shown without its id is not removed', async () => {
  const test = await testEngine({ ...plain, sizes: { apiClients: 8 } })
  await test.run('api-clients')
  const before = live(test, 'api-clients')
  const lost = [...test.sim.primary['api-clients'].all()][2]?.clientId
  const masked = ofData((data: Record<string, unknown>[]) =>
    data.map((one) => (one['clientId'] === lost ? { ...one, clientId: null } : one)),
  )
  for (const second of [masked, without('clientId')]) {
    test.clock.advance(15 * minuteMs)
    test.sim.faults.clear()
    test.sim.faults.add({ path: clients, nth: 1, effect: without('clientId', lost) })
    test.sim.faults.add({ path: clients, nth: 2, effect: second })
    expect(await test.run('api-clients')).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
  }
  expect(live(test, 'api-clients')).toBe(before)
})

it('an acceptance does not cover a document that was returned since', async () => {
  const test = await testEngine({ ...plain, sizes: { documents: 20 } })
  await test.run('documents', 'full')
  const ids = [...test.sim.primary.documents.all()].map(({ fileId }) => fileId)
  const path = '/api/public/documents'
  test.sim.faults.add({ path, effect: without('fileId', ...ids.slice(0, 8)) })
  for (let n = 0; n < 2; n++) await test.run('documents', 'full')
  expect(await heldBack(test)).toEqual(['documents shrink_held 8'])
  test.sim.faults.clear()
  test.clock.advance(5 * minuteMs)
  test.sim.primary.documents.update(ids[0] ?? '', { filename: 'again.pdf', updatedAt: test.clock.now() })
  await test.run('documents', 'incremental')
  await accept(test, await theHold(test))
  test.sim.faults.add({ path, times: 1, effect: without('fileId', ids[0]) })
  test.clock.advance(6 * hourMs)
  expect(await test.run('documents', 'full')).toMatchObject({ outcome: 'success', counts: { removed: 0 } })
})

it('a refused cursor that comes with a Retry-After is a rate limit', async () => {
  const test = await testEngine({ ...plain, sizes: { users: 12 } })
  await test.run('users', 'full')
  const headers = { 'retry-after': '120' }
  test.sim.faults.add({ path: '/api/public/users', effect: { kind: 'status', status: 422, headers } })
  expect(ending(await test.run('users', 'incremental'))).toBe('rate_limited')
  expect(test.observed.resets).toEqual([])
})

it('tombstones of a former tenant prove nothing, also where the clock was behind when the other was accepted', async () => {
  const a = { users: [user(1)], clients: [client(1), client(4)], documents: [document(1)] }
  const b = { users: [user(50)], clients: [client(2), client(3)], documents: [document(2)], roles: [role(7)] }
  const { test, server } = await mirrored(a, b)
  server.timestamp = () => new Date(startTime + test.clock.monotonic()).toISOString()
  test.clock.jump(-dayMs)
  server.choose(() => server.b)
  test.useToken('second')
  await test.run('roles')
  await accept(test, await theHold(test))
  for (let n = 0; n < 3; n++) {
    await test.runAll('full')
    test.clock.advance(6 * minuteMs)
  }
  test.clock.jump(dayMs)
  await test.runAll('full')
  server.choose(() => server.a)
  test.useToken('first')
  test.clock.advance(10 * minuteMs)
  expect(new Set((await test.runAll('full')).map(ending))).toEqual(new Set(['tenant_changed']))
})

it('a value in an unknown field that changes with each answer brings no full sync forward', async () => {
  const test = await testEngine({ ...plain, sizes: { users: 12, apiClients: 4 } })
  let n = 0
  const effect = ofData((data: object[]) => data.map((one) => ({ ...one, lastUsedAt: `${++n}` })))
  for (const path of [clients, '/api/public/roles']) test.sim.faults.add({ path, effect })
  await test.runAll('full')
  test.clock.advance(30 * minuteMs)
  for (const resource of ['roles', 'api-clients'] as const) await test.run(resource)
  expect(await test.engine.broughtForward()).toEqual([])
})

it.each([
  ['authentication-settings', (data: object, n: number) => ({ ...data, mfaEnabled: 'yes', readAt: n })],
  ['roles', (data: object, n: number) => [...(data as object[]), { roleId: null, readAt: n }]],
  ['api-clients', (data: object, n: number) => [...(data as object[]), { clientId: null, readAt: n }]],
] as const)('one malformed record of %s that differs in each answer stays one', async (resource, change) => {
  const test = await testEngine({ ...plain, sizes: { users: 12, apiClients: 4 } })
  await test.runAll('full')
  let n = 0
  test.sim.faults.add({ path: `/api/public/${resource}`, effect: ofData((data: object) => change(data, ++n)) })
  for (let k = 0; k < 5; k++) await test.run(resource, 'full')
  expect(test.query('select * from quarantine').length).toBeLessThanOrEqual(2)
})

it('an erasure while the local clock is a year behind does not let the guard forget removals', async () => {
  const test = await testEngine({ ...plain, sizes: { users: 100 } })
  await test.run('users', 'full')
  test.clock.advance(25 * hourMs)
  await test.run('users', 'full')
  test.sim.primary.users.removeWhere(first(9))
  expect(await test.run('users', 'full')).toMatchObject({ counts: { removed: 9 } })
  const { mirror, engine, clock } = test
  const { tenantId } = engine
  const [latest, at] = [clock.now(), clock.now() - 365 * dayMs]
  await mirror.eraseOutdated({ tenantId, before: 0, latest: latest - 1000 * dayMs, at: latest })
  await mirror.eraseOutdated({ tenantId, before: at - 400 * dayMs, latest, at })
  test.sim.primary.users.removeWhere(first(9))
  expect(ending(await test.run('users', 'full'))).toBe('shrink_held')
})

const failsToEnd = {
  completeFullSync: () => Promise.reject(new SyncError('store', 'database or disk is full')),
}

it('a full sync that cannot be stored leaves an accepted hold', async () => {
  const all = Array.from({ length: 20 }, (_, n) => user(n + 1))
  const { test, server } = await mirrored({ users: all, clients: [client(1)], documents: [document(1)] })
  server.a.users = all.slice(0, 12)
  test.clock.advance(hourMs)
  expect(ending(await test.run('users', 'full'))).toBe('shrink_held')
  await test.run('users', 'incremental')
  await accept(test, await theHold(test))
  test.clock.advance(hourMs)
  for (const one of ['roles', 'api-clients'] as const) await test.run(one)
  Object.assign(test.mirror, failsToEnd)
  expect(ending(await test.run('users', 'full'))).toBe('store')
  expect(await statusOf(test, userRoleActive)).toBe('unknown')
})

it('a list that shows ownClientId again and cannot be stored leaves its hold', async () => {
  const all = Array.from({ length: 20 }, (_, n) => client(n + 1))
  const own = { ownClientId: '00000000-0000-4000-8000-000000000001' }
  const { test, server } = await mirrored({ users: [user(1)], clients: all, documents: [document(1)] }, {}, own)
  server.a.clients = all.slice(1)
  test.clock.advance(15 * minuteMs)
  expect(ending(await test.run('api-clients'))).toBe('tenant_changed')
  server.a.clients = all.slice(0, 5)
  test.clock.advance(15 * minuteMs)
  Object.assign(test.mirror, failsToEnd)
  expect(ending(await test.run('api-clients'))).toBe('store')
  expect(await statusOf(test, apiClientSecretNotExpired)).toBe('unknown')
})
