import { expect, it } from 'vitest'
import { createPlain } from '../../src/api/credentials/sources.ts'
import { silentLog } from '../../src/model/log.ts'
import { documents } from '../../src/resources/documents.ts'
import { users } from '../../src/resources/users.ts'
import { scriptedResources } from '../support/engine.ts'
import { page, problem, user } from './support/answers.ts'
import { caught } from './support/caught.ts'
import { testClient } from './support/client.ts'
import { sendJson, testServer } from './support/test-server.ts'

function oauthClient(url: string) {
  const client = { clientId: 'x', clientSecret: { env: 'S' }, scope: null, parameters: {}, clientAuth: 'body' }
  const token = { oauth2: { tokenUrl: `${url}/token`, ...client } }
  const auth = { header: 'Authorization', scheme: 'Bearer', token } as never
  return testClient(url, { resources: scriptedResources, cycleMs: 300_000, env: () => 'secret-of-client', auth })
}

it('does not take a rate limit by 403, met while another refusal is classified, for a refused token', async () => {
  const server = await testServer(({ url }, response) => {
    if (url.startsWith('/api/public/users')) return sendJson(response, 401, problem('UNAUTHORIZED'))
    sendJson(response, 403, problem('RATE_LIMITED'), { 'retry-after': '1' })
  })
  const { client } = testClient(server.url, { resources: scriptedResources })
  await caught(client.reader.fetch(users, {}))
  server.handler = (_, response) => sendJson(response, 200, page([]))
  expect((await client.reader.fetch(documents, {})).items).toEqual([])
})

it('reads a server with one requestId and no timestamp, whose Date header goes on', async () => {
  let second = 10
  const server = await testServer((_, response) => {
    const headers = { 'content-type': 'application/json', date: `Sun, 01 Mar 2026 12:00:${second++} GMT` }
    response.writeHead(200, headers).end(JSON.stringify({ ...page([user]), meta: { requestId: 'constant' } }))
  })
  const { client } = testClient(server.url)
  for (let n = 0; n < 2; n++) expect((await client.reader.fetch(users, {})).items).toHaveLength(1)
})

it('probes a dead OAuth client once a cycle, however short its tokens live', async () => {
  let issued = 0
  const server = await testServer(({ url }, response) => {
    if (url === '/token') sendJson(response, 200, { access_token: `token-number-${++issued}`, expires_in: 60 })
    else sendJson(response, 401, problem('UNAUTHORIZED'))
  })
  const { client, clock } = oauthClient(server.url)
  await caught(client.reader.fetch(users, {}))
  server.requests.length = 0
  for (let minute = 0; minute < 20; minute++) {
    clock.advance(60_000)
    await caught(client.reader.fetch(users, {}))
  }
  expect(server.requests.filter(({ url }) => url !== '/token').length).toBeLessThanOrEqual(4)
})

it('takes no time-out of the token URL for a refused client', async () => {
  const server = await testServer((_, response) => sendJson(response, 408, {}))
  const { client } = oauthClient(server.url)
  expect(await caught(client.reader.fetch(users, {}))).toMatchObject({ reason: 'timeout' })
})

it('takes the output of a command that leaves a process behind, which keeps its output open', async () => {
  const command = ['sh', '-c', 'setsid sleep 25 & echo a-token-of-it']
  const clock = { now: Date.now, monotonic: () => performance.now() } as never
  const source = createPlain({ command }, { clock, log: silentLog(), env: () => undefined, cycleMs: 1000 })
  expect((await source.current()).expose()).toBe('a-token-of-it')
})
