import { expect, it } from 'vitest'
import { secondMs } from '../../../src/model/time.ts'
import { authenticationSettings } from '../../../src/resources/authentication-settings.ts'
import { roles } from '../../../src/resources/roles.ts'
import { users } from '../../../src/resources/users.ts'
import { envelope, page, settings } from '../support/answers.ts'
import { caught } from '../support/caught.ts'
import { type Overrides, testClient } from '../support/client.ts'
import { sendJson, testServer } from '../support/test-server.ts'

const cycleMs = 300_000

/** A tenant API that knows the newest token only, and a token server that numbers them. */
async function setup(answer: object = { expires_in: 1000 }, overrides: Overrides = {}, more: object = {}) {
  const state = { accept: 'token-1', issued: 0, secret: 'client-CANARY' }
  const api = await testServer((request, response) =>
    request.headers.authorization === `Bearer ${state.accept}`
      ? sendJson(response, 200, request.url.endsWith('/users') ? page([]) : { ...envelope(settings), meta: {} })
      : sendJson(response, 401, {}),
  )
  const login = await testServer((_, response) => {
    state.issued += 1
    sendJson(response, 200, { access_token: `token-${state.issued}`, token_type: 'Bearer', ...answer })
  })
  const oauth2 = {
    tokenUrl: `${login.url}/oauth/token?tenant=a`,
    clientId: 'watch',
    clientSecret: { env: 'SECRET' },
    scope: 'read all',
    parameters: {},
    clientAuth: 'body' as const,
    ...more,
  }
  const made = testClient(api.url, {
    auth: { header: 'Authorization', scheme: 'Bearer', token: { oauth2 } },
    env: (name) => (name === 'SECRET' ? state.secret : undefined),
    cycleMs,
    ...overrides,
  })
  return { ...made, api, login, state }
}

it('asks for a token by client credentials in a form, and uses it for 90% of its life', async () => {
  const t = await setup()
  await t.client.reader.fetch(authenticationSettings, {})
  expect(t.login.requests).toMatchObject([
    { method: 'POST', url: '/oauth/token?tenant=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  ])
  expect(Object.fromEntries(new URLSearchParams(t.login.requests[0]?.body))).toEqual({
    grant_type: 'client_credentials',
    client_id: 'watch',
    client_secret: 'client-CANARY',
    scope: 'read all',
  })
  t.clock.advance(899_000)
  await t.client.reader.fetch(authenticationSettings, {})
  expect(t.state.issued).toBe(1)
  t.clock.advance(2000)
  t.state.accept = 'token-2'
  const { meta } = await t.client.reader.fetch(authenticationSettings, {})
  expect(t.state.issued).toBe(2)
  expect(meta.identity).toBe(1)
})

it('sends further parameters, credentials in a Basic header, and reads an answer as a form', async () => {
  const more = { clientAuth: 'basic', parameters: { audience: 'https://api' }, clientId: 'a:b c' }
  const t = await setup({}, {}, more)
  t.login.handler = (_, response) => response.end('access_token=token-1&token_type=Bearer&expires_in=60')
  await t.client.reader.fetch(authenticationSettings, {})
  const [request] = t.login.requests
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
    grant_type: 'client_credentials',
    scope: 'read all',
    audience: 'https://api',
  })
  const [, basic = ''] = /^Basic (.*)$/.exec(String(request?.headers.authorization)) ?? []
  expect(Buffer.from(basic, 'base64').toString()).toBe('a%3Ab+c:client-CANARY')
})

it('renews a token that is revoked again right after its renewal, also for an endpoint that it never read', async () => {
  const t = await setup()
  await t.client.reader.fetch(authenticationSettings, {})
  for (const number of [2, 3, 4]) {
    t.state.accept = `token-${number}`
    t.clock.advance(secondMs)
    if (number === 3) await t.client.reader.fetch(users, {})
    else await t.client.reader.fetch(authenticationSettings, {})
    expect(t.state.issued).toBe(number)
  }
})

it('asks for at most one token a cycle for an endpoint whose permission it lacks', async () => {
  const t = await setup()
  const { handler } = t.api
  t.api.handler = (request, response, body) =>
    request.url.endsWith('/roles') ? sendJson(response, 401, {}) : handler(request, response, body)
  for (let cycle = 1; cycle <= 3; cycle++) {
    for (let call = 0; call < 4; call++) {
      t.state.accept = `token-${Math.max(1, t.state.issued)}`
      await t.client.reader.fetch(authenticationSettings, {})
      t.state.accept = `token-${t.state.issued + 1}`
      expect((await caught(t.client.reader.fetch(roles, {}))).reason).toBe('missing_permission')
    }
    expect(t.state.issued).toBe(1 + cycle)
    t.clock.advance(cycleMs)
  }
})

it('asks for at most one token a cycle while every one is refused', async () => {
  const t = await setup()
  t.state.accept = 'none'
  expect((await caught(t.client.reader.fetch(authenticationSettings, {}))).reason).toBe('unauthorized')
  expect(t.state.issued).toBe(2)
  t.api.requests.length = 0
  for (let cycle = 1; cycle <= 5; cycle++) {
    t.clock.advance(cycleMs)
    for (let call = 0; call < 5; call++) await caught(t.client.reader.fetch(authenticationSettings, {}))
    expect(t.state.issued).toBe(2 + cycle)
    expect(t.api.requests).toHaveLength(cycle)
  }
  t.clock.advance(cycleMs)
  t.state.accept = `token-${t.state.issued + 1}`
  await caught(t.client.reader.fetch(authenticationSettings, {}))
  t.clock.advance(cycleMs)
  expect((await t.client.reader.fetch(authenticationSettings, {})).meta.identity).toBe(2)
})

it('uses a token that the API accepts only a while after its issue', async () => {
  const t = await setup()
  t.state.accept = 'none'
  await caught(t.client.reader.fetch(authenticationSettings, {}))
  const { issued } = t.state
  t.state.accept = `token-${issued}`
  t.clock.advance(cycleMs)
  await t.client.reader.fetch(authenticationSettings, {})
  expect(t.state.issued).toBe(issued)
})

it.each([
  [400, { error: 'invalid_client', error_description: 'CANARY' }, 'unauthorized', / 400 invalid_client$/],
  [401, { error: 'CANARY' }, 'unauthorized', / 401$/],
  [500, {}, 'server_error', / 500$/],
  [429, {}, 'rate_limited', / 429$/],
  [302, {}, 'redirect', / 302$/],
  [200, {}, 'unauthorized', /without an access_token/],
  [200, { access_token: 'CANARY x' }, 'unauthorized', /contains a space/],
  [200, 'CANARY', 'unauthorized', /without an access_token/],
])('reports answer %i %j of the token URL as %s after one request', async (status, body, reason, message) => {
  const t = await setup()
  t.login.handler = (_, response) => sendJson(response, status, body)
  const error = await caught(t.client.reader.fetch(authenticationSettings, {}))
  expect(error.reason).toBe(reason)
  expect(error.message).toMatch(message)
  expect(error.message).not.toContain('CANARY')
  expect(await caught(t.client.reader.fetch(authenticationSettings, {}))).toBe(error)
  expect(t.login.requests).toHaveLength(1)
  expect(t.api.requests).toHaveLength(0)
})

it.each([429, 503])('holds the whole tenant back while the token URL asks for it by %i', async (status) => {
  const stored: number[] = []
  const t = await setup({}, { storeWait: async (until) => void stored.push(until) })
  const { handler } = t.login
  t.login.handler = (_, response) => sendJson(response, status, {}, { 'retry-after': '600' })
  const retryAt = t.clock.now() + 600_000
  expect(await caught(t.client.reader.fetch(authenticationSettings, {}))).toMatchObject({
    reason: 'rate_limited',
    status,
    retryAt,
  })
  expect([t.client.waitMs(), ...stored]).toEqual([600_000, retryAt])
  t.login.handler = handler
  t.state.secret = 'another'
  t.clock.advance(569_999)
  expect((await caught(t.client.reader.fetch(authenticationSettings, {}))).reason).toBe('rate_limited')
  expect(t.login.requests).toHaveLength(1)
  t.clock.advance(30_001)
  await t.client.reader.fetch(authenticationSettings, {})
})

it('follows no redirect with the client secret', async () => {
  const other = await testServer((_, response) => sendJson(response, 200, { access_token: 'x' }))
  const t = await setup()
  t.login.handler = (_, response) => response.writeHead(307, { location: other.url }).end()
  await caught(t.client.reader.fetch(authenticationSettings, {}))
  expect(other.requests).toHaveLength(0)
})
