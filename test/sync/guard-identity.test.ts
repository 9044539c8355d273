import { expect, it, onTestFinished } from 'vitest'
import { hourMs, minuteMs } from '../../src/model/time.ts'
import { startSimulator } from '../../src/simulator/index.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { accept, ending, everyRow, heldBack, live, synced, theHold } from '../support/sync-queries.ts'
import { client, document, mirrored, user } from './support/two-tenants.ts'

const settings = { userDetails: { perRun: 0 } }
const dayMs = 24 * 60 * minuteMs

/** Another server with the same tenants. */
async function moved(test: TestEngine) {
  // At the same time it would give its answers the same ids.
  test.clock.advance(1000)
  const sim = await startSimulator({ clock: test.clock.now, controlPort: null })
  onTestFinished(() => sim.close())
  return sim
}

it('a first list without ownClientId holds the whole tenant, and nothing of it is written', async () => {
  const test = await testEngine({ settings: { ...settings, ownClientId: 'C0FFEE00-0000-4000-8000-000000000001' } })
  const [some] = test.sim.primary['api-clients'].all()
  const before = everyRow(test)
  for (const resource of test.engine.resources) expect(ending(await test.run(resource))).toBe('tenant_changed')
  expect(await heldBack(test)).toEqual(['all tenant_changed 24'])
  expect(everyRow(test)).toEqual(before)
  const { id, message } = await theHold(test)
  expect(message).toContain('C0FFEE00-0000-4000-8000-000000000001')
  test.clock.advance(hourMs)
  expect(ending(await test.run('users'))).toBe('tenant_changed')
  expect((await theHold(test)).id).toBe(id)
  await test.restart({ ownClientId: 'c0ffee00-0000-4000-8000-000000000002' })
  expect(ending(await test.run('users'))).toBe('tenant_changed')
  expect((await theHold(test)).message).toContain('c0ffee00-0000-4000-8000-000000000002')
  // It ends by itself when the client is listed, or when ownClientId is corrected; letter case does not matter.
  await test.restart({ ownClientId: String(some?.clientId).toUpperCase() })
  for (const resource of test.engine.resources) expect(ending(await test.run(resource))).toBe('success')
  expect(await heldBack(test)).toEqual([])
})

it('finds ownClientId on a later page at first contact', async () => {
  const test = await testEngine({ settings })
  test.sim.setReadings({ defaultPageSize: { apiClients: 5 } })
  const last = [...test.sim.primary['api-clients'].all()].at(-1)
  await test.restart({ ownClientId: String(last?.clientId) })
  expect(ending(await test.run('users'))).toBe('success')
})

it('a full sync without ownClientId removes nothing, and its hold ends when the client is listed again', async () => {
  const test = await testEngine({ settings })
  const own = test.sim.credentials.reader.clientId
  const [client] = [...test.sim.primary['api-clients'].all()].filter(({ clientId }) => clientId === own)
  await test.restart({ ownClientId: own })
  expect(ending(await test.run('api-clients'))).toBe('success')
  test.sim.primary['api-clients'].remove(own)
  expect(ending(await test.run('api-clients'))).toBe('tenant_changed')
  const { id } = await theHold(test)
  for (let n = 0; n < 3; n++) expect(ending(await test.run('api-clients'))).toBe('tenant_changed')
  expect((await theHold(test)).id).toBe(id)
  expect(live(test, 'api-clients')).toBe(24)
  if (client !== undefined) test.sim.primary['api-clients'].add(client)
  expect(ending(await test.run('api-clients'))).toBe('success')
  expect(await heldBack(test)).toEqual([])
})

it('another baseUrl is held until it is corrected or accepted, although the tenant there has the same ids', async () => {
  const test = await testEngine({ settings })
  await test.runAll('full')
  const other = await moved(test)
  await test.restart({ baseUrl: other.baseUrl })
  expect(await heldBack(test)).toEqual(['all tenant_changed 0'])
  await test.restart({ baseUrl: test.sim.baseUrl })
  expect(await heldBack(test)).toEqual([])
  await test.restart({ baseUrl: other.baseUrl })
  expect(ending(await test.run('roles'))).toBe('tenant_changed')
  await accept(test, await theHold(test))
  expect(ending(await test.run('roles'))).toBe('success')
  expect(await heldBack(test)).toEqual([])
  expect((await test.mirror.tenant(test.engine.tenantId)).baseUrl).toBe(other.baseUrl)
  await test.restart()
  expect(await heldBack(test)).toEqual([])
})

it('accepting another baseUrl adopts the address alone: another tenant behind it is a hold of its own', async () => {
  const test = await testEngine({ settings, sizes: { users: 40, documents: 20 } })
  await test.runAll('full')
  const other = await moved(test)
  test.useToken(other.tokens.secondReader)
  await test.restart({ baseUrl: other.baseUrl })
  await accept(test, await theHold(test))
  expect(ending(await test.run('roles'))).toBe('tenant_changed')
  expect((await test.mirror.tenant(test.engine.tenantId)).baseUrl).toBe(other.baseUrl)
  expect((await theHold(test)).cause).toMatchObject({ check: 'proof' })
  await accept(test, await theHold(test))
  const results = await test.runAll()
  expect(results.map(ending)).toEqual(results.map(() => 'success'))
  await test.restart()
  expect(await heldBack(test)).toEqual([])
  const theirs = new Set([...other.second.users.all()].map(({ userId }) => userId))
  const live = test.query('select user_id from users where removed_at is null').map((row) => Number(row['user_id']))
  expect(live.filter((userId) => !theirs.has(userId))).toEqual([])
})

it.each([
  ['five old unknown records on a page of nine known and unknown ones are held', 5, 4, 30 * dayMs, 'tenant_changed'],
  ['four old unknown records are a page of fewer than five', 4, 0, 30 * dayMs, 'success'],
  ['five unknown records that are half of the page pass', 5, 5, 30 * dayMs, 'success'],
  ['five unknown records younger than an hour before the last full sync pass', 5, 0, 50 * minuteMs, 'success'],
  ['five unknown records older than an hour before the last full sync are held', 5, 0, 70 * minuteMs, 'tenant_changed'],
])('a page with %s', async (_what, unknown, known, age, expected) => {
  const test = await testEngine({ settings, problems: false, sizes: { documents: 40 } })
  await test.run('documents', 'full')
  const fullSyncAt = test.clock.now()
  test.clock.advance(10 * minuteMs)
  // Changes put records at the end of the feed, where the incremental sync shows them on one page.
  const documents = [...test.sim.primary.documents.all()].slice(0, known)
  for (const { fileId } of documents) test.sim.primary.documents.update(fileId, {})
  const old = { createdAt: fullSyncAt - age, updatedAt: test.clock.now(), uploadStatus: 'Completed' }
  for (let n = 0; n < unknown; n++) test.sim.primary.documents.add(old)
  const { cursor } = await test.mirror.syncState(test.engine.tenantId, 'documents')
  expect(ending(await test.run('documents', 'incremental'))).toBe(expected)
  if (expected === 'success') return
  expect(live(test, 'documents')).toBe(40)
  expect((await test.mirror.syncState(test.engine.tenantId, 'documents')).cursor).toBe(cursor)
  expect(await heldBack(test)).toEqual([`documents tenant_changed ${unknown + known}`])
  await accept(test, await theHold(test))
  for (const result of await test.runAll('full')) expect(ending(result)).toBe('success')
  expect(live(test, 'documents')).toBe(40 + unknown)
})

it('a refused page holds its list alone where a known id proves the tenant, until the list was read in full', async () => {
  const test = await synced()
  const foreignRecords = Array.from({ length: 6 }, (_, n) => ({
    fileId: `dddddddd-0000-4000-8000-00000000000${n}`,
    filename: 'foreign.pdf',
    uploadStatus: 'Completed',
    createdAt: '2025-01-01T00:00:00Z',
    updatedAt: null,
  }))
  const end = test.sim.onRequest(({ query }) => {
    if (!('updatedAfter' in query)) return
    const effect = { kind: 'set', path: 'data', value: foreignRecords } as const
    test.sim.faults.add({ path: '/api/public/documents', times: 1, effect })
  })
  test.sim.invalidateCursors()
  expect(ending(await test.run('documents', 'incremental'))).toBe('tenant_changed')
  expect(await heldBack(test)).toEqual(['documents tenant_changed 6'])
  expect(ending(await test.run('roles'))).toBe('success')
  end()
  expect(ending(await test.run('documents', 'incremental'))).toBe('success')
  expect(await heldBack(test)).toEqual([])
})

it('one decision covers a list that is held alone, however many of its pages and other lists are old and unknown', async () => {
  const test = await synced({ sizes: { users: 12 } })
  const createdAt = '2025-01-01T00:00:00Z'
  for (let n = 0; n < 250; n++) test.sim.primary.users.add({ createdAt })
  const documents = live(test, 'documents')
  for (let n = 0; n < 250; n++) test.sim.primary.documents.add({ createdAt, uploadStatus: 'Completed' })
  for (const resource of ['users', 'documents'] as const)
    expect(ending(await test.run(resource, 'full'))).toBe('tenant_changed')
  const holds = await test.mirror.holds()
  expect(holds.map(({ resource, cause }) => [resource, cause.check])).toEqual([
    ['documents', 'page'],
    ['users', 'page'],
  ])
  for (const hold of holds) await accept(test, hold)
  for (const resource of ['users', 'documents'] as const)
    expect(ending(await test.run(resource, 'full'))).toBe('success')
  expect([live(test, 'users'), live(test, 'documents')]).toEqual([262, documents + 250])
  expect(await heldBack(test)).toEqual([])
})

const users = (from: number) => Array.from({ length: 8 }, (_, n) => user(from + n))

it.each(['its list was read in full', 'a proof succeeds'])(
  'a refused page holds the whole tenant where nothing can prove it, until %s',
  async (until) => {
    const { test, server } = await mirrored({ users: users(1), clients: [client(1)] })
    await test.runAll('full')
    server.a.users = users(100)
    server.refused.set('api-clients', 400)
    expect(ending(await test.run('users', 'full'))).toBe('tenant_changed')
    expect(await theHold(test)).toMatchObject({ resource: 'all', cause: { check: 'page' } })
    expect(ending(await test.run('roles'))).toBe('tenant_changed')
    if (until === 'a proof succeeds') {
      server.refused.clear()
      expect(ending(await test.run('users', 'full'))).toBe('tenant_changed')
      expect(await heldBack(test)).toEqual(['users tenant_changed 8'])
      expect(ending(await test.run('roles'))).toBe('success')
    }
    server.a.users = users(1)
    expect(ending(await test.run('users', 'full'))).toBe('success')
    server.refused.clear()
    for (const result of await test.runAll('full')) expect(ending(result)).toBe('success')
  },
)

it('a hold of the whole tenant for a refused page ends when that list is switched off', async () => {
  const { test, server } = await mirrored({ users: users(1), clients: [client(1)] })
  server.a.users = users(100)
  server.refused.set('api-clients', 400)
  expect(ending(await test.run('users', 'full'))).toBe('tenant_changed')
  await test.restart({ resources: { users: { enabled: false } } })
  expect(await heldBack(test)).toEqual([])
})

it('a list that was off while another tenant was accepted begins again in that one', async () => {
  const { test, server } = await mirrored(
    { users: users(1), clients: [client(1)] },
    { users: users(100), clients: [client(2)] },
  )
  server.pageSize = () => 2
  server.choose((_path, cursor) => {
    if (cursor === '2') server.refused.set('users', 500)
    return server.a
  })
  expect(ending(await test.run('users', 'full'))).toBe('server_error')
  server.refused.clear()
  server.choose(() => server.b)
  await test.restart({ resources: { users: { enabled: false } } })
  expect(ending(await test.run('api-clients'))).toBe('tenant_changed')
  await accept(test, await theHold(test))
  expect(ending(await test.run('api-clients'))).toBe('success')
  await test.restart({ resources: {} })
  expect(ending(await test.run('users', 'full'))).toBe('success')
  const ids = test.query('select user_id from users where removed_at is null').map((row) => row['user_id'])
  expect(ids).toEqual(server.b.users.map((row) => row['userId']))
})

it('known ids of users who were created at another time hold the list, until it shows the known ones again', async () => {
  const { test, server } = await mirrored({ users: users(1), clients: [client(1)] })
  const before = everyRow(test)
  const created = (ms: number) =>
    users(1).map((one) => ({ ...one, createdAt: new Date(Date.parse(String(one.createdAt)) - ms).toISOString() }))
  server.a.users = created(7 * dayMs)
  expect(ending(await test.run('users', 'full'))).toBe('tenant_changed')
  expect(await heldBack(test)).toEqual(['users tenant_changed 8'])
  expect(everyRow(test)).toEqual(before)
  server.a.users = created(2 * hourMs)
  expect(ending(await test.run('users', 'full'))).toBe('success')
  expect(await heldBack(test)).toEqual([])
})

it('the page rule counts invalid records by their creation, too', async () => {
  const { test, server } = await mirrored({ clients: [client(1)], documents: [document(1)] })
  server.a.documents = Array.from({ length: 6 }, (_, n) => document(n + 10, { updatedAt: 5 }))
  expect(ending(await test.run('documents', 'full'))).toBe('tenant_changed')
  expect(test.query('select key from quarantine order by resource, key')).toEqual([])
})
