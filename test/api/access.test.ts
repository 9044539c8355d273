import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { documents } from '../../src/resources/documents.ts'
import { permissions } from '../../src/resources/permissions.ts'
import { roles } from '../../src/resources/roles.ts'
import { users } from '../../src/resources/users.ts'
import { scriptedResources } from '../support/engine.ts'
import { envelope, page, problem, settings } from './support/answers.ts'
import { caught } from './support/caught.ts'
import { type Overrides, testClient } from './support/client.ts'
import { type SeenRequest, sendJson, testServer } from './support/test-server.ts'

const cycleMs = 300_000

/** A tenant where each token may read the named endpoints; everything else is refused. */
async function tenant(
  grants: Record<string, readonly string[]>,
  { refusal = 401, ...overrides }: Overrides & { readonly refusal?: 401 | 403 } = {},
) {
  const env: Record<string, string> = { TOKEN: 'first' }
  const server = await testServer((request, response) => answer(grants, request, response, refusal))
  const made = testClient(server.url, { env: (name) => env[name], cycleMs, resources: scriptedResources, ...overrides })
  const paths = () => server.requests.splice(0).map((request) => request.url.slice('/api/public/'.length))
  return { ...made, server, paths, env, grants }
}

function answer(
  grants: Record<string, readonly string[]>,
  request: SeenRequest,
  response: ServerResponse,
  refusal: 401 | 403,
) {
  const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
  const name = request.url.slice('/api/public/'.length)
  const allowed = grants[token]?.some((grant) => name.startsWith(grant)) === true
  if (!allowed) sendJson(response, refusal, problem(refusal === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
  else if (name === 'authentication-settings') sendJson(response, 200, envelope(settings))
  else sendJson(response, 200, page([]))
}

const all = [...scriptedResources]

it('does not take a success under the same permission, an older one or one of another token for a proof', async () => {
  const t = await tenant({ first: ['roles'], second: [] })
  await t.client.reader.fetch(roles, {})
  expect(await caught(t.client.reader.fetch(permissions, {}))).toMatchObject({ reason: 'unauthorized' })
  expect(t.paths()).toEqual(['roles', 'permissions', 'authentication-settings', 'users', 'api-clients', 'documents'])

  const u = await tenant({ first: ['roles', 'permissions'] })
  await u.client.reader.fetch(roles, {})
  u.clock.advance(cycleMs + 1)
  expect(await caught(u.client.reader.fetch(users, {}))).toMatchObject({ reason: 'missing_permission' })
  expect(u.paths()).toEqual(['roles', 'users', 'authentication-settings', 'permissions'])

  const v = await tenant({ first: ['roles'] })
  await v.client.reader.fetch(roles, {})
  v.env['TOKEN'] = 'second'
  expect(await caught(v.client.reader.fetch(users, {}))).toMatchObject({ reason: 'unauthorized' })
})

it('numbers a new identity when an endpoint that answered 401 answers again, and only then', async () => {
  const t = await tenant({ first: ['users'] })
  expect((await t.client.reader.fetch(users, {})).meta.identity).toBe(1)
  await caught(t.client.reader.fetch(documents, {}))
  expect((await t.client.reader.fetch(users, {})).meta.identity).toBe(1)
  t.grants['first'] = all
  expect((await t.client.reader.fetch(roles, {})).meta.identity).toBe(1)
  expect((await t.client.reader.fetch(documents, {})).meta.identity).toBe(2)
  expect((await t.client.reader.fetch(users, {})).meta.identity).toBe(2)
})

it('numbers an answer to a former token by that token, even if it ends a refusal', async () => {
  const t = await tenant({ first: ['users'], second: all })
  await t.client.reader.fetch(users, {})
  await caught(t.client.reader.fetch(documents, {}))
  t.grants['first'] = all
  const { handler } = t.server
  const waiting = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  t.server.handler = async (request, response, body) => {
    if (request.headers.authorization === 'Bearer first') {
      arrived.resolve()
      await waiting.promise
    }
    handler(request, response, body)
  }
  const former = t.client.reader.fetch(documents, {})
  await arrived.promise
  t.env['TOKEN'] = 'second'
  expect((await t.client.reader.fetch(users, {})).meta.identity).toBe(2)
  waiting.resolve()
  expect((await former).meta.identity).toBe(1)
  expect((await t.client.reader.fetch(documents, {})).meta.identity).toBe(3)
})

it.each(['users', 'documents', 'api-clients'])(
  'notices a role that got %s alone after it had lost all',
  async (name) => {
    const t = await tenant({ first: ['users'] }, { resources: ['users', 'documents', 'api-clients'] })
    await t.client.reader.fetch(users, {})
    t.grants['first'] = []
    expect(await caught(t.client.reader.fetch(users, {}))).toMatchObject({ reason: 'unauthorized' })
    t.grants['first'] = [name]
    for (let n = 0; n < 9; n++) {
      t.clock.advance(cycleMs)
      await t.client.reader.fetch(users, {}).catch(() => {})
    }
    expect(await caught(t.client.reader.fetch(roles, {}))).toMatchObject({ reason: 'missing_permission' })
  },
)

it('takes a 403 that states a wait for a limit of the rate', async () => {
  const t = await tenant({ first: ['users'] })
  t.server.handler = (_, response) => void response.writeHead(403, { 'retry-after': '90' }).end('{}')
  expect(await caught(t.client.reader.fetch(users, {}))).toMatchObject({ reason: 'rate_limited', status: 403 })
  expect(t.client.waitMs()).toBeGreaterThan(80_000)
})

it('takes 403 like 401, but fetches no other token for it', async () => {
  const t = await tenant({ first: ['users'] }, { refusal: 403 })
  await t.client.reader.fetch(users, {})
  expect(await caught(t.client.reader.fetch(documents, {}))).toMatchObject({
    reason: 'missing_permission',
    status: 403,
    message: expect.stringContaining('Api_Documents_Read'),
  })
  expect(t.paths()).toEqual(['users', 'documents'])
  t.grants['first'] = all
  expect((await t.client.reader.fetch(documents, {})).meta.identity).toBe(2)
  t.grants['first'] = []
  expect(await caught(t.client.reader.fetch(users, {}))).toMatchObject({ reason: 'unauthorized', status: 403 })
  t.paths()
  expect(await caught(t.client.reader.fetch(roles, {}))).toMatchObject({ reason: 'unauthorized' })
  expect(t.paths()).toEqual([])
  t.clock.advance(cycleMs)
  expect(await caught(t.client.reader.fetch(roles, {}))).toMatchObject({ reason: 'unauthorized' })
  expect(t.paths()).toHaveLength(1)
})
