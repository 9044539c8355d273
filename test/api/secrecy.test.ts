import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, it, vi } from 'vitest'
import { KnownSecrets } from '../../src/api/credentials/known-secrets.ts'
import type { Log } from '../../src/model/log.ts'
import { authenticationSettings } from '../../src/resources/authentication-settings.ts'
import { roles } from '../../src/resources/roles.ts'
import { users } from '../../src/resources/users.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { envelope, user } from './support/answers.ts'
import { caught } from './support/caught.ts'
import { testClient, token } from './support/client.ts'
import { sendJson, testServer } from './support/test-server.ts'

it('never lets the token into an error, a log line or an observation, even when the server echoes it', async () => {
  const captured: unknown[] = []
  const write = (...args: unknown[]) => captured.push(args)
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log }
  const encoded = Buffer.from(token).toString('base64')
  const echo = {
    data: null,
    error: { code: token, message: token, requestId: token },
    meta: { requestId: token },
    token,
    encoded,
  }
  await using server = await testServer((_, response) => response.end())
  for (const status of [200, 302, 400, 401, 403, 404, 429, 500]) {
    server.handler = (_, response) =>
      sendJson(response, status, echo, { location: `http://x/${token}`, 'x-echo': token })
    const { client, observed } = testClient(server.url, { log })
    await using _ = client
    captured.push(
      await caught(client.fetch(users, { cursor: 'c' })),
      observed,
      inspect(client, { depth: 9, showHidden: true }),
    )
  }
  server.handler = (_, response) => response.socket?.end(`HTTP/1.1 200 OK\r\nbad header ${token}\r\n\r\n`)
  const { client } = testClient(server.url, { log })
  await using _ = client
  captured.push(await caught(client.fetch(roles, {})), client)
  const text = inspect(captured, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null })
  expect(text).toContain('SyncError')
  for (const leak of [token, encoded, 'CANARY', token.slice(4, 16)]) expect(text).not.toContain(leak)
})

it('takes its own secret out of every text and name of an answer before anything is read of it', async () => {
  const settings = {
    ssoEnabled: true,
    ssoEnforced: true,
    mfaEnabled: true,
    providerType: token,
    tenantName: `of ${token}`,
  }
  const person = { ...user, firstName: token, roleName: `Role ${token}`, [token]: { [`x ${token}`]: [token] } }
  await using server = await testServer(({ url }, response) => {
    const data = url.includes('/users') ? [person] : { ...settings, [token]: 1 }
    sendJson(response, 200, envelope(data, { limit: 1, nextCursor: null, hasMore: false }))
  })
  const { client } = testClient(server.url)
  await using _ = client
  const read = [await client.fetch(authenticationSettings, {}), await client.fetch(users, {})]
  const text = inspect(read, { depth: 20, maxStringLength: null })
  expect(text).toContain('of [withheld]')
  expect(text).toContain('Role [withheld]')
  expect(text).not.toContain(token)
})

it('masks in an answer what other tenants of the process have stored as their secrets, before those are sent', async () => {
  const file = join(temporaryFolder(), 'client-secret')
  writeFileSync(file, 'the-secret-of-initech-1')
  const secrets = new KnownSecrets()
  const shown = [token, 'the-token-of-globex-1', 'the-secret-of-initech-1'].join(' ')
  await using server = await testServer((_, response) => {
    sendJson(response, 200, envelope([{ ...user, roleName: shown }], { limit: 1, nextCursor: null, hasMore: false }))
  })
  const env = (name: string) => (name === 'TOKEN' ? token : 'the-token-of-globex-1')
  const ofGlobex = { header: 'Authorization', scheme: 'Bearer', token: { env: 'GLOBEX' } }
  const oauth2 = { tokenUrl: `${server.url}/token`, clientId: 'x', clientSecret: { file }, scope: null }
  const clients = [
    testClient(server.url, { secrets, name: 'globex', env, auth: ofGlobex }),
    testClient(server.url, { secrets, name: 'initech', env, auth: { ...ofGlobex, token: { oauth2 } } }),
    testClient(server.url, { secrets, env }),
  ].map(({ client }) => client)
  const [, , client = clients[0]] = clients
  await vi.waitFor(async () => {
    const { items } = (await client?.fetch(users, {})) ?? { items: [] }
    expect(inspect(items)).toContain('[withheld] [withheld] [withheld]')
  })
  for (const one of clients) await one[Symbol.asyncDispose]()
})

const claims = (more: string) =>
  Buffer.from(`{"iss":"https://login.acme.example","tid":"4711","${more}`).toString('base64url')
const jwt = (more: string) =>
  `eyJhbGciOiJFUzI1NiJ9.${claims(more)}.${Buffer.from(more.repeat(3)).toString('base64url')}`
const longToken = jwt('sub":"monitoring of compliance"}')

it.each([
  ['a cursor of the same issuer', jwt('cursor":"0815"}'), true],
  ['the token', longToken, false],
  ['the token amid others', `of-${longToken}-1`, false],
  ['the token in base64', Buffer.from(`a${longToken}`).toString('base64'), false],
  ['the token in hexadecimal digits', Buffer.from(longToken).toString('hex'), false],
  ['the token escaped', Array.from(longToken, (one) => `%${one.charCodeAt(0).toString(16)}`).join(''), false],
  ['the token without its last characters', longToken.slice(0, -8), false],
])('sends back %s as it was received, unless a secret is in it', async (_, nextCursor, isKept) => {
  const requested: (string | null)[] = []
  await using server = await testServer(({ url }, response) => {
    requested.push(new URL(url, 'http://x').searchParams.get('cursor'))
    sendJson(response, 200, envelope([user], { limit: 1, nextCursor, hasMore: true }))
  })
  const { client } = testClient(server.url, { env: () => longToken })
  await using _client = client
  const { nextCursor: cursor } = await client.fetch(users, {})
  await client.fetch(users, { cursor: cursor ?? '' })
  expect(cursor === nextCursor).toBe(isKept)
  expect(requested).toEqual([null, cursor])
  if (!isKept) expect(cursor).toContain('[withheld]')
})

it('keeps no cursor where a record has a field of that name, too', async () => {
  const nextCursor = jwt('cursor":"0815"}')
  await using server = await testServer((_, response) => {
    sendJson(response, 200, envelope([{ ...user, nextCursor }], { limit: 1, nextCursor, hasMore: true }))
  })
  const { client } = testClient(server.url, { env: () => longToken })
  await using _ = client
  expect((await client.fetch(users, {})).nextCursor).toContain('[withheld]')
})

it('keeps no cursor that contains a token of which no part is looked for', async () => {
  const guid = '0f8fad5b-d9cb-469f-a165-70867728950e'
  await using server = await testServer((_, response) => {
    sendJson(response, 200, envelope([user], { limit: 1, nextCursor: `after-${guid}`, hasMore: true }))
  })
  const { client } = testClient(server.url, { env: () => guid })
  await using _ = client
  expect((await client.fetch(users, {})).nextCursor).toBe('after-[withheld]')
})
