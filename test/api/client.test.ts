import { expect, it } from 'vitest'
import { version } from '../../src/model/process/version.ts'
import { apiClients } from '../../src/resources/api-clients.ts'
import { authenticationSettings } from '../../src/resources/authentication-settings.ts'
import { documents } from '../../src/resources/documents.ts'
import { permissions } from '../../src/resources/permissions.ts'
import { roles } from '../../src/resources/roles.ts'
import { users } from '../../src/resources/users.ts'
import {
  apiClient,
  document,
  envelope,
  meta,
  page,
  permission,
  problem,
  role,
  sentRequestId,
  settings,
  user,
} from './support/answers.ts'
import { caught } from './support/caught.ts'
import { testClient, token } from './support/client.ts'
import { sendJson, testServer } from './support/test-server.ts'

it('reads all eight endpoints with their records, pagination and meta', async () => {
  const answers: Record<string, unknown> = {
    '/api/public/users': page([user]),
    '/api/public/users/7': envelope({ ...user, roleId: 2 }),
    '/api/public/roles': envelope([role]),
    '/api/public/roles/2': envelope(role),
    '/api/public/permissions': envelope([permission]),
    '/api/public/authentication-settings': envelope(settings),
    '/api/public/api-clients': envelope([apiClient], { nextCursor: null, hasMore: false }),
    '/api/public/documents': page([document]),
  }
  const server = await testServer((request, response) => sendJson(response, 200, answers[request.url]))
  const { client, clock, observed } = testClient(server.url)
  const expectedMeta = {
    requestId: expect.stringMatching(sentRequestId),
    serverTime: Date.parse(meta.timestamp),
    receivedAt: clock.now(),
    receivedMonotonic: clock.monotonic(),
    identity: 1,
    credential: expect.stringMatching(/^[0-9a-f]{12}$/),
    oddities: [],
  }
  const item = (record: unknown) => ({ ok: true, record, extra: null, oddities: [] })
  const whole = (record: unknown) => ({ items: [item(record)], nextCursor: null, hasMore: false, meta: expectedMeta })
  expect(await client.reader.fetch(users, {})).toEqual({
    ...{ items: [item(user)], limit: 50, nextCursor: 'next', hasMore: false, meta: expectedMeta },
  })
  expect(await client.reader.fetchOne(users, 7)).toEqual({ item: item({ ...user, roleId: 2 }), meta: expectedMeta })
  expect(await client.reader.fetch(roles, {})).toEqual(whole(role))
  expect(await client.reader.fetch(permissions, {})).toEqual(whole(permission))
  expect(await client.reader.fetch(authenticationSettings, {})).toEqual(whole(settings))
  expect(await client.reader.fetch(apiClients, {})).toMatchObject({ items: [item(apiClient)], limit: null })
  expect(await client.reader.fetch(documents, {})).toMatchObject({ items: [item(document)], nextCursor: 'next' })
  expect(observed).toContain('/api/public/users/{id} 200')
})

it('sends GET with the token, a version and no-cache', async () => {
  const server = await testServer((_, response) => sendJson(response, 200, envelope(settings)))
  const { client } = testClient(`${server.url}/prefix/`, {
    auth: { header: 'X-Api-Token', scheme: '', token: { env: 'TOKEN' } },
  })
  await client.reader.fetch(authenticationSettings, {})
  expect(server.requests).toMatchObject([
    {
      method: 'GET',
      url: '/prefix/api/public/authentication-settings',
      headers: {
        accept: 'application/json',
        'cache-control': 'no-cache',
        'user-agent': `tenantwatch/${version}`,
        'x-api-token': token,
      },
    },
  ])
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
})

it('sends the page size to users and documents only, cursors percent-encoded, and never cursor beside updatedAfter', async () => {
  const server = await testServer((request, response) =>
    sendJson(response, 200, request.url.includes('/roles') ? envelope([]) : page([])),
  )
  const { client } = testClient(server.url, { api: { pageSizeParameter: 'page size', pageSize: 500 } })
  await client.reader.fetch(users, {})
  await client.reader.fetch(users, { cursor: 'a b&c=%\r\n' })
  await client.reader.fetch(documents, {})
  await client.reader.fetch(documents, { updatedAfter: '2026-01-01T00:00:00Z' })
  await client.reader.fetch(apiClients, { cursor: 'c+/=' })
  await client.reader.fetch(roles, {})
  expect(server.requests.map((request) => request.url.slice('/api/public'.length))).toEqual([
    '/users?page%20size=500',
    '/users?cursor=a%20b%26c%3D%25%0D%0A&page%20size=500',
    '/documents?page%20size=200',
    '/documents?updatedAfter=2026-01-01T00%3A00%3A00Z&page%20size=200',
    '/api-clients?cursor=c%2B%2F%3D',
    '/roles',
  ])
})

it.each([
  [true, { limit: 1, nextCursor: 'c', hasMore: true }],
  [true, { limit: 3, nextCursor: 'c', hasMore: 'true' }],
  [true, { hasMore: 1 }],
  [true, { nextCursor: 'c' }],
  [true, { page: 1, totalPages: 2 }],
  [true, 'next: 2'],
  [false, null],
  [false, {}],
  [false, { limit: null, nextCursor: null, hasMore: null }],
  [false, { limit: 1, nextCursor: 'c', hasMore: false }],
])('refuses an unpaginated list whose pagination may announce more (%s): %j', async (refused, pagination) => {
  const server = await testServer((_, response) => sendJson(response, 200, { ...envelope([]), pagination }))
  const { client } = testClient(server.url)
  for (const list of [() => client.reader.fetch(roles, {}), () => client.reader.fetch(permissions, {})]) {
    if (refused) expect((await caught(list())).message).toMatch(/pagination is not null, and its hasMore not false/)
    else expect((await list()).items).toEqual([])
  }
})

const notFound = { status: 404, error: 'Not Found', path: '/users/8' }

it.each<[outcome: string, status: number, body: unknown]>([
  ['absent', 404, problem('NOT_FOUND')],
  ['absent', 410, { ...problem('GONE'), data: {} }],
  ...[{ error: 'NOT_FOUND' }, notFound, 'NOT_FOUND', null].map((body): [string, number, unknown] => [
    'protocol',
    404,
    body,
  ]),
  ...['UNAUTHORIZED', 'INTERNAL_ERROR', 'MAINTENANCE', 'ROUTE_NOT_FOUND', 'TENANT_NOT_FOUND'].map(
    (code): [string, number, unknown] => ['protocol', 404, problem(code)],
  ),
  ['protocol', 410, {}],
])('takes a user for %s by the answer %i %j', async (outcome, status, body) => {
  const server = await testServer((_, response) => sendJson(response, status, body))
  const { client } = testClient(server.url)
  if (outcome === 'absent') expect((await client.reader.fetchOne(users, 8)).item).toBeNull()
  else expect(await caught(client.reader.fetchOne(users, 8))).toMatchObject({ reason: outcome, status })
})

it.each([user, { ...user, userId: null }])('refuses a record that is not the one asked for: %j', async (data) => {
  const server = await testServer((_, response) => sendJson(response, 200, envelope(data)))
  const { client } = testClient(server.url)
  expect(await caught(client.reader.fetchOne(users, 8))).toMatchObject({ reason: 'protocol' })
  expect(await caught(client.reader.fetchOne(users, Number.NaN))).toMatchObject({ reason: 'internal' })
  expect(server.requests).toHaveLength(1)
})
