import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import type { Log } from '../../src/model/log.ts'
import { roles } from '../../src/resources/roles.ts'
import { users } from '../../src/resources/users.ts'
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

it.each([
  ['as it is', (text: string) => text],
  ['with JSON escapes', (text: string) => text.replace('C', '\\u0043').replace('-', '\\u002D')],
])('refuses an answer that contains its token %s, in a name, a value or the cursor', async (_, write) => {
  const body = (data: object, nextCursor: string) =>
    JSON.stringify(envelope([data], { limit: 1, nextCursor, hasMore: true })).replaceAll('TOKEN', write(token))
  const bodies = [body({ ...user, roleName: 'of TOKEN' }, 'c'), body({ ...user, TOKEN: 1 }, 'c'), body(user, 'TOKEN')]
  await using server = await testServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(bodies.shift())
  })
  const { client } = testClient(server.url)
  await using _client = client
  while (bodies.length > 0) {
    expect(await caught(client.fetch(users, {}))).toMatchObject({
      reason: 'protocol',
      message: 'GET /api/public/users answered 200 with the token in the body',
    })
  }
})
