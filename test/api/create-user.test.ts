import { expect, it } from 'vitest'
import { envelope, problem, user } from './support/answers.ts'
import { caught } from './support/caught.ts'
import { testClient } from './support/client.ts'
import { type Handler, sendJson, testServer } from './support/test-server.ts'

const created = { ...user, state: 'Invited', roleId: 2 }
const wanted = { firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com', roleId: 2 }

it('creates a user with exactly the four fields', async () => {
  const server = await testServer((_, response) => sendJson(response, 201, envelope(created)))
  const { client, observed } = testClient(server.url)
  expect(await client.createUser({ ...wanted, ...{ isAdmin: true } })).toEqual({ outcome: 'created', user: created })
  expect(server.requests).toMatchObject([
    { method: 'POST', url: '/api/public/users', headers: { 'content-type': 'application/json' } },
  ])
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(wanted)
  expect(observed).toEqual(['/api/public/users 201'])
})

it('reads 409 as already created', async () => {
  const server = await testServer((_, response) => sendJson(response, 409, problem('CONFLICT')))
  const { client } = testClient(server.url)
  expect(await client.createUser(wanted)).toEqual({ outcome: 'already_created' })
})

it.each([
  [422, 'client_error', /All four fields/],
  [403, 'missing_permission', /Api_Users_Create/],
  [429, 'rate_limited', /requestsPerSecond/],
  [500, 'server_error', /may have been created/],
  [503, 'server_error', /may have been created/],
  [200, 'protocol', /may have been created/],
  [302, 'redirect', /baseUrl/],
])('sends once and fails on %i as %s', async (status, reason, hint) => {
  const server = await testServer((_, response) => sendJson(response, status, problem('SOME_CODE')))
  const { client } = testClient(server.url)
  expect(await caught(client.createUser(wanted))).toMatchObject({ reason, hint: expect.stringMatching(hint) })
  expect(server.requests).toHaveLength(1)
})

it.each<[reason: string, handler: Handler]>([
  ['network', (_, response) => response.socket?.destroy()],
  ['timeout', () => {}],
])('reports that the user may exist when the answer was lost by %s', async (reason, handler) => {
  const server = await testServer(handler)
  const { client } = testClient(server.url, { api: { timeoutMs: 200 } })
  const hint = expect.stringMatching(/may have been created/)
  expect(await caught(client.createUser(wanted))).toMatchObject({ reason, hint })
  expect(server.requests).toHaveLength(1)
})

it.each([
  ['state', 'Active'],
  ['userId', undefined],
  ['roleId', null],
  ['roleId', 3],
  ['roleName', null],
  ['email', 'eve@example.com'],
  ['email', null],
])('takes a 201 whose %s is %j for a broken answer to a request that created the user', async (field, value) => {
  const server = await testServer((_, response) => sendJson(response, 201, envelope({ ...created, [field]: value })))
  const { client } = testClient(server.url)
  const error = await caught(client.createUser(wanted))
  expect(error).toMatchObject({ reason: 'protocol', message: expect.stringMatching(/; the user was created$/) })
  expect(server.requests).toHaveLength(1)
})
