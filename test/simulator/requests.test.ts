import { expect, it } from 'vitest'
import { call, fullSync, start } from './support.ts'

it('logs every request with its token name, page, cursor and status, but no token', async () => {
  const simulator = await start()
  const { answers } = await fullSync(simulator, '/users?limit=100')
  await call(simulator, '/users/1', { token: 'creator' })
  await call(simulator, '/nothing', { token: null })
  expect(
    simulator.requests
      .all()
      .map(({ seq, endpoint, token, tenant, page, status }) => [seq, endpoint, token, tenant, page, status]),
  ).toEqual([
    [1, '/api/public/users', 'reader', 'primary', 1, 200],
    [2, '/api/public/users', 'reader', 'primary', 2, 200],
    [3, '/api/public/users', 'reader', 'primary', 3, 200],
    [4, '/api/public/users/{id}', 'creator', 'primary', 1, 404],
    [5, null, null, null, 1, 404],
  ])
  expect(simulator.requests.all()[1]).toMatchObject({
    query: { limit: '100', cursor: answers[0]?.body.pagination?.nextCursor },
    cursor: answers[0]?.body.pagination?.nextCursor,
  })
  expect(JSON.stringify(simulator.requests.all())).not.toContain(simulator.tokens.reader)
})

it('counts the same cursor twice as one page', async () => {
  const simulator = await start()
  const cursor = (await call(simulator, '/users')).body.pagination?.nextCursor
  await call(simulator, `/users?cursor=${cursor}`)
  await call(simulator, `/users?cursor=${cursor}`)
  expect(simulator.requests.all().map(({ page }) => page)).toEqual([1, 2, 2])
})

it('keeps the latest requests only, but counts all', async () => {
  const simulator = await start({ requestLogSize: 3 })
  for (let n = 0; n < 10; n++) await call(simulator, '/roles')
  expect(simulator.requests.all().map(({ seq }) => seq)).toEqual([8, 9, 10])
  expect(simulator.requests.count()).toBe(10)
  simulator.requests.clear()
  expect([simulator.requests.count(), simulator.requests.all()]).toEqual([0, []])
})

it('lets a test pause a request at a page', async () => {
  const simulator = await start()
  const barrier = Promise.withResolvers<void>()
  const off = simulator.onRequest(({ page }) => (page === 2 ? barrier.promise : undefined))
  const fullSyncUnderWay = fullSync(simulator, '/users')
  const held = await simulator.requests.waitFor(({ page }) => page === 2)
  expect(held.done).toBe(false)
  const late = simulator.primary.addUser()
  barrier.resolve()
  expect((await fullSyncUnderWay).records.at(-1)?.['userId']).toBe(late.userId)
  off()
  expect(held.status).toBe(200)
})

it('waits for a request still to come, and finds one already logged', async () => {
  const simulator = await start()
  const waiting = simulator.requests.waitFor(
    ({ endpoint, status }) => endpoint === '/api/public/roles' && status === 200,
  )
  await call(simulator, '/permissions')
  await call(simulator, '/roles')
  expect((await waiting).seq).toBe(2)
  expect((await simulator.requests.waitFor(({ endpoint }) => endpoint === '/api/public/permissions')).seq).toBe(1)
})

it('finds nothing wrong with a caller that keeps to the specification', async () => {
  const simulator = await start()
  for (const path of ['/users', '/documents', '/api-clients']) await fullSync(simulator, path)
  await fullSync(simulator, '/api-clients')
  await fullSync(simulator, '/documents?limit=200')
  for (const path of ['/roles', '/permissions', '/authentication-settings', '/users/1001']) await call(simulator, path)
  expect(simulator.violations).toEqual([])
  expect(simulator.requests.nonGet()).toEqual([])
})

it('notes an API clients cursor that was issued long ago', async () => {
  const simulator = await start()
  const cursor = (await call(simulator, '/api-clients')).body.pagination?.nextCursor
  await call(simulator, `/api-clients?cursor=${cursor}`)
  await call(simulator, `/api-clients?cursor=${cursor}`)
  expect(simulator.violations).toEqual([])
  simulator.faults.add({ effect: { kind: 'status', status: 500 } })
  for (let pass = 0; pass < 16; pass++) await call(simulator, '/api-clients')
  await call(simulator, `/api-clients?cursor=${cursor}`)
  expect(simulator.violations).toMatchObject([{ kind: 'foreign-api-clients-cursor', seq: 20, method: 'GET' }])
  simulator.clearViolations()
  expect(simulator.violations).toEqual([])
})

it('notes unknown parameters, paths and page sizes over the maximum', async () => {
  const simulator = await start()
  await call(simulator, '/api-clients?limit=5')
  await call(simulator, '/roles?cursor=x')
  await call(simulator, '/documents?limit=201')
  await call(simulator, '/user')
  expect(simulator.violations.map(({ kind, detail }) => [kind, detail])).toEqual([
    ['unknown-parameter', 'limit'],
    ['unknown-parameter', 'cursor'],
    ['page-size-over-maximum', '201 is over 200'],
    ['unknown-path', '/api/public/user'],
  ])
})
