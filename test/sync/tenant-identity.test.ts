import { expect, it } from 'vitest'
import { hourMs, minuteMs } from '../../src/model/time.ts'
import { scriptedResources } from '../support/engine.ts'
import { accept, ending, everyRow, heldBack, live, theHold } from '../support/sync-queries.ts'
import { client, document, mirrored, role, type Scene, type ScriptedTenant, user } from './support/two-tenants.ts'

const users = (from: number, count: number, more = {}) => Array.from({ length: count }, (_, n) => user(from + n, more))

/** Runs everything in both modes and expects that no record of the foreign tenant was written. */
async function expectNothingWritten({ test }: Scene, before: Record<string, unknown>): Promise<void> {
  for (let round = 0; round < 3; round++) {
    for (const mode of ['incremental', 'full'] as const) {
      for (const resource of scriptedResources) {
        await test.run(resource, mode)
        const { full_sync_pages: _, ...rows } = everyRow(test)
        const { full_sync_pages: __, ...rowsBefore } = before
        expect(rows, `${mode} ${resource}`).toEqual(rowsBefore)
      }
    }
    test.clock.advance(6 * minuteMs)
  }
}

const good = { mfaEnabled: true, ssoEnabled: true, ssoEnforced: true, providerType: 'saml', tenantName: 'B' }
const ofA = { clients: [client(1)], documents: [document(1)] }
/** Another tenant, of whose answers none may get in. */
const ofB = {
  clients: [client(2)],
  documents: [document(2)],
  roles: [role(1, { state: 'Inactive' })],
  settings: good,
}

it.each([
  ['one of forty users', users(1, 40), [...users(1, 1), ...users(100, 39)]],
  ['all users', users(1, 40), users(1, 40)],
  ['one of three users', users(1, 3), [...users(1, 1), ...users(100, 2)]],
  ['all three users, with other values', users(1, 3), users(1, 3, { mfaStatus: false, roleName: 'Role 2' })],
])('another tenant that shares %s brings nothing in, whether after a start or another token', async (_what, a, b) => {
  for (const sign of ['start', 'token'] as const) {
    const scene = await mirrored({ users: a, ...ofA }, { users: b, ...ofB })
    const { test, server } = scene
    const before = everyRow(test)
    server.choose(() => server.b)
    if (sign === 'start') await test.restart()
    else test.useToken('another')
    await expectNothingWritten(scene, before)
    const hold = await theHold(test)
    expect(hold).toMatchObject({ resource: 'all', reason: 'tenant_changed', cause: { check: 'proof' } })
    expect(hold.message).toContain('rotated')
    await test.close()
  }
})

it('a foreign tenant that shares every user and role is recognized by the next list of clients or documents', async () => {
  const foreign = { users: users(1, 4, { mfaStatus: false }), clients: [client(2)], documents: [document(2)] }
  const scene = await mirrored({ users: users(1, 4), ...ofA }, foreign)
  for (const resource of ['api-clients', 'documents'] as const) {
    scene.server.choose(() => scene.server.b)
    const before = everyRow(scene.test)
    expect(ending(await scene.test.run(resource, 'full'))).toBe('tenant_changed')
    await expectNothingWritten(scene, before)
    scene.server.choose(() => scene.server.a)
    scene.test.clock.advance(6 * minuteMs)
    expect(ending(await scene.test.run(resource, 'full'))).toBe('success')
  }
})

it.each([
  ['documents only', { documents: [document(1), document(2)] }, { documents: [document(3)] }],
  ['clients only', { clients: [client(1), client(2)] }, { clients: [client(3)] }],
  ['documents where the foreign tenant has none', { documents: [document(1)] }, {}],
])('a tenant with %s is distinguished from another', async (_what, a, b) => {
  const scene = await mirrored(
    { users: users(1, 3), ...a },
    { users: users(1, 3, { email: 'other@example.com' }), roles: [role(1), role(2)], ...b },
    'clients' in a ? {} : { resources: { 'api-clients': { enabled: false } } },
  )
  const before = everyRow(scene.test)
  scene.server.choose(() => scene.server.b)
  await scene.test.restart()
  if (!('clients' in a)) await scene.test.restart({ resources: { 'api-clients': { enabled: false } } })
  await expectNothingWritten(scene, before)
  expect(await heldBack(scene.test)).toEqual([expect.stringMatching(/^all tenant_changed/)])
})

const documentsOnly = { resources: { 'api-clients': { enabled: false } } } as const

/** A mirror whose only document was removed, and whose clients do not count any more. */
async function emptied(b: Partial<ScriptedTenant>): Promise<Scene> {
  const scene = await mirrored({ users: users(1, 3), ...ofA }, b)
  const { test, server } = scene
  server.a.documents = []
  for (let n = 0; n < 2; n++) expect(ending(await test.run('documents', 'full'))).toBe('success')
  expect([live(test, 'documents'), await heldBack(test)]).toEqual([0, []])
  return scene
}

it('removed records identify the tenant: another one is held, and its acceptance makes its own ids known alone', async () => {
  const scene = await emptied({ users: users(1, 3, { mfaStatus: false }), documents: [document(2)], settings: good })
  const { test, server } = scene
  const before = everyRow(test)
  server.choose(() => server.b)
  await test.restart(documentsOnly)
  await expectNothingWritten(scene, before)
  await accept(test, await theHold(test))
  for (const result of await test.runAll('full')) expect(ending(result)).toBe('success')
  await test.restart(documentsOnly)
  for (const result of await test.runAll('full')) expect(ending(result)).toBe('success')
  expect([live(test, 'documents'), await heldBack(test)]).toEqual([1, []])
  server.a.documents = [document(1)]
  server.choose(() => server.a)
  await test.restart(documentsOnly)
  await test.run('roles')
  expect(await theHold(test)).toMatchObject({ resource: 'all', cause: { check: 'proof' } })
})

it('nothing is written by a token that may not read the list of the removed records', async () => {
  const { test, server } = await emptied({})
  const before = everyRow(test)
  server.refused.set('documents', 401)
  await test.restart(documentsOnly)
  server.a.roles.push(role(2))
  expect(ending(await test.run('roles'))).toBe('missing_permission')
  expect([everyRow(test), await heldBack(test)]).toEqual([before, []])
})

it.each([
  ['nothing', () => []],
  ['a new document', (now: number) => [document(2, { createdAt: new Date(now).toISOString() })]],
  ['the removed document', () => [document(1)]],
])('an emptied tenant that lists %s is not held', async (_what, documents) => {
  const { test, server } = await emptied({})
  server.a.documents = documents(test.clock.now())
  server.a.roles.push(role(2))
  await test.restart(documentsOnly)
  for (const result of await test.runAll('full')) expect(ending(result)).toBe('success')
  expect([live(test, 'documents'), await heldBack(test)]).toEqual([server.a.documents.length, []])
})

it('users prove nothing: where neither clients nor documents count, other users are no mismatch', async () => {
  const alone = { resources: { 'api-clients': { enabled: false }, documents: { enabled: false } } }
  const { test, server } = await mirrored(
    { users: users(1, 5) },
    { users: users(50, 5), roles: [role(1), role(2)] },
    alone,
  )
  server.choose(() => server.b)
  await test.restart(alone)
  expect(ending(await test.run('roles'))).toBe('success')
  expect([live(test, 'roles'), await heldBack(test)]).toEqual([2, []])
})

it('one client rotated matches by the document, and one that is alone is a mismatch whose hold names the rotation', async () => {
  const both = await mirrored(ofA)
  both.server.a.clients = [client(2)]
  await both.test.restart()
  for (const result of await both.test.runAll('full')) expect(ending(result)).toBe('success')
  expect(await heldBack(both.test)).toEqual([])

  const alone = await mirrored({ clients: [client(1)] })
  alone.server.a.clients = [client(2)]
  expect(ending(await alone.test.run('api-clients'))).toBe('tenant_changed')
  const hold = await theHold(alone.test)
  expect(hold.message).toContain('all API clients were rotated at once')
  expect(live(alone.test, 'api-clients')).toBe(1)
  // The old client is back: the hold ends by itself.
  alone.server.a.clients = [client(1), client(2)]
  alone.test.clock.advance(6 * minuteMs)
  expect(ending(await alone.test.run('api-clients'))).toBe('success')
  expect(await heldBack(alone.test)).toEqual([])
})

it.each([3, 5])(
  'two tenants behind one balancer, changing every %i answers, bring nothing foreign in',
  async (every) => {
    const foreign = { users: users(1, 3, { mfaStatus: false }), ...ofB }
    const { test, server } = await mirrored({ users: users(1, 3), ...ofA }, foreign)
    let answers = 0
    server.choose(() => (Math.floor(answers++ / every) % 2 === 0 ? server.a : server.b))
    for (let round = 0; round < 12; round++) {
      await test.runAll(round % 2 === 0 ? 'incremental' : 'full')
      test.clock.advance(6 * minuteMs)
    }
    for (const foreign of [
      "roles where state = 'Inactive'",
      "authentication_settings where tenant_name = 'B'",
      'users where mfa_status = 0',
      "documents where filename = 'document 2.pdf'",
      "api_clients where name = 'client 2'",
    ])
      expect(test.query(`select * from ${foreign}`), foreign).toEqual([])
  },
)

it.each([
  ['both denied', ['api-clients', 'documents'], [], 'missing_permission'],
  ['one denied, one that fails', ['api-clients'], ['documents'], 'client_error'],
  ['one that fails, one denied', ['documents'], ['api-clients'], 'client_error'],
  ['one denied, the other matches', ['api-clients'], [], 'success'],
  ['one that fails, the other matches', [], ['api-clients'], 'success'],
])('lists that cannot be read: %s', async (_what, denied, broken, expected) => {
  const { test, server } = await mirrored({ users: users(1, 3), ...ofA })
  for (const path of denied) server.refused.set(path, 401)
  for (const path of broken) server.refused.set(path, 400)
  server.a.roles.push(role(2))
  await test.restart()
  for (const one of ['roles', 'users'] as const) expect(ending(await test.run(one))).toBe(expected)
  expect(await heldBack(test)).toEqual([])
})

it('nobody is removed by a 404 of a tenant that took the place without a sign', async () => {
  const { test, server } = await mirrored(
    { users: users(1, 4), clients: [client(1)] },
    { users: users(1, 4), clients: [client(2)] },
  )
  server.a.users.pop()
  let isLookup = false
  server.choose((path) => {
    isLookup ||= path.startsWith('users/')
    return isLookup ? server.b : server.a
  })
  server.b.users.pop()
  await test.run('users', 'full')
  expect(live(test, 'users')).toBe(4)
  expect(await heldBack(test)).toEqual([expect.stringMatching(/^all tenant_changed/)])
})

it.each([
  ['at once', 0, []],
  ['after full syncs of the right tenant removed it again', 3, []],
  ['after a full sync that was not whole', 1, [{ filename: 'without an id' }]],
])('a record of another tenant in a single answer does not identify that tenant, %s', async (_when, fullSyncs, odd) => {
  const foreign = { users: users(1, 3), clients: [client(2), client(3)], documents: [document(9)], settings: good }
  const scene = await mirrored({ users: users(1, 3), ...ofA, documents: [document(1), document(2)] }, foreign)
  const { test, server } = scene
  // The stored cursor is the number of records before it.
  const slipped = { ...server.a, documents: [document(1), document(2), ...server.b.documents] }
  server.choose((path) => (path === 'documents' ? slipped : server.a))
  expect(ending(await test.run('documents', 'incremental'))).toBe('success')
  expect(live(test, 'documents')).toBe(3)
  server.choose(() => server.a)
  server.a.documents.push(...odd)
  for (let n = 0; n < fullSyncs; n++) {
    test.clock.advance(6 * minuteMs)
    expect(ending(await test.run('documents', 'full'))).toBe('success')
  }
  const before = everyRow(test)
  server.choose(() => server.b)
  test.useToken('another')
  await expectNothingWritten(scene, before)
  expect(await theHold(test)).toMatchObject({ resource: 'all', reason: 'tenant_changed', cause: { check: 'proof' } })
})

it('a client of another tenant on one page does not identify that tenant after a full sync within a minute', async () => {
  const clients = [client(1), client(3)]
  const scene = await mirrored({ clients }, { clients: [client(5), client(6), client(2)] })
  const { test, server } = scene
  server.pageSize = () => 2
  server.a.clients.push(client(4))
  for (const wrong of ['2', 'none']) {
    server.choose((_path, cursor) => (cursor === wrong ? server.b : server.a))
    expect(ending(await test.run('api-clients', 'full'))).toBe('success')
    test.clock.advance(30_000)
  }
  const before = everyRow(test)
  server.choose(() => server.b)
  test.useToken('another')
  await expectNothingWritten(scene, before)
})

it.each([
  ['after two full syncs', [document(1)]],
  ['though one without an id is always listed', [document(1), document(2), { filename: 'without an id' }]],
])('documents of a list that was empty at first identify the tenant, %s', async (_, documents) => {
  const { test, server } = await mirrored({ users: users(1, 3), clients: [client(1)] })
  server.a.documents = documents
  for (const mode of ['incremental', 'full', 'full'] as const) {
    expect(ending(await test.run('documents', mode))).toBe('success')
    test.clock.advance(6 * hourMs)
  }
  server.a.clients = [client(2)]
  await test.restart()
  await test.runAll('full')
  expect(await heldBack(test)).toEqual([])
})

it('a client that replaces the only one identifies the tenant once both were listed together', async () => {
  const { test, server } = await mirrored({ users: users(1, 3), clients: [client(1)] })
  for (const clients of [[client(1), client(2)], [client(2)], [client(2), client(3)], [client(3)]]) {
    server.a.clients = clients
    test.clock.advance(20 * minuteMs)
    expect(ending(await test.run('api-clients', 'full'))).toBe('success')
    await test.restart()
  }
  expect(await heldBack(test)).toEqual([])
})

it('documents that replace all others identify the tenant, also where each has a page of its own', async () => {
  const a = { users: users(1, 3), documents: [document(1), document(2)] }
  const { test, server } = await mirrored(a, {}, documentsOnly)
  server.pageSize = () => 1
  for (let n = 3; n < 9; n++) {
    const createdAt = new Date(test.clock.now() - minuteMs).toISOString()
    server.a.documents = [...server.a.documents.slice(-1), document(n, { createdAt })]
    for (const mode of ['incremental', 'full', 'full', 'full'] as const) {
      expect(ending(await test.run('documents', mode)), `${mode} with document ${n}`).toBe('success')
      test.clock.advance(25 * hourMs)
    }
    await test.restart(documentsOnly)
  }
  expect(await heldBack(test)).toEqual([])
})

it('the first ids of a tenant that nothing identified do not vouch for users that contradict', async () => {
  const other = { users: users(100, 8), documents: [document(1), document(2)] }
  const { test, server } = await mirrored({ users: users(1, 8) }, other, documentsOnly)
  server.choose(() => server.b)
  test.useToken('another')
  expect(ending(await test.run('documents', 'full'))).toBe('success')
  expect(ending(await test.run('users', 'full'))).toBe('tenant_changed')
  expect(await heldBack(test)).toEqual([expect.stringMatching(/^all tenant_changed/)])
})
