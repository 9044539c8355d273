import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { authenticationSettings } from '../../src/resources/authentication-settings.ts'
import { resources } from '../../src/resources/index.ts'
import { roles } from '../../src/resources/roles.ts'
import { users } from '../../src/resources/users.ts'
import { permissionsOf } from '../support/descriptors.ts'
import { listening } from '../support/listening.ts'
import { envelope, page, problem, sentRequestId, user } from './support/answers.ts'
import { caught } from './support/caught.ts'
import { testClient } from './support/client.ts'
import { sendJson, testServer } from './support/test-server.ts'

const good = JSON.stringify(page([user]))
const head = '{"data":[],"pagination":{"hasMore":false},"error":null,"meta":{}'
type Send = (response: ServerResponse) => void
const raw = (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Send => {
  return (response) => response.writeHead(status, headers).end(body)
}
const gzip = { 'content-encoding': 'gzip' }
const json =
  (body: unknown, status = 200): Send =>
  (response) =>
    sendJson(response, status, body)

const faults: readonly (readonly [name: string, send: Send, reason: string, requests: number])[] = [
  ['400', json(problem('BAD_REQUEST'), 400), 'client_error', 1],
  ['403', json(problem('FORBIDDEN'), 403), 'unauthorized', permissionsOf(resources).length],
  ['404', json(problem('NOT_FOUND'), 404), 'client_error', 1],
  ['408', json({}, 408), 'timeout', 5],
  ['418', json([], 418), 'client_error', 1],
  ['429', json({}, 429), 'rate_limited', 5],
  ['500', json(problem('INTERNAL_ERROR'), 500), 'server_error', 5],
  ['599', raw('', {}, 599), 'server_error', 5],
  ['201', json(page([]), 201), 'protocol', 1],
  ['204', raw('', {}, 204), 'protocol', 1],
  ['304', raw('', {}, 304), 'protocol', 1],
  ['HTML', raw('<html></html>', { 'content-type': 'text/html' }), 'protocol', 1],
  ['an empty body', raw(''), 'protocol', 1],
  ['JSON with something after it', raw(`${good}x`), 'protocol', 1],
  ['nesting 200,000 levels deep', raw(`${'['.repeat(200_000)}${']'.repeat(200_000)}`), 'protocol', 1],
  ['nesting that is never closed', raw('{"data":['.repeat(50_000)), 'protocol', 1],
  ['two million values', raw(good.replace('"data":[', `"data":[${'1,'.repeat(2_000_000)}`)), 'too_large', 1],
  ['a hundred thousand records', raw(good.replace('"data":[', `"data":[${'{},'.repeat(100_000)}`)), 'too_large', 1],
  ['null', json(null), 'protocol', 1],
  ['an array', json([]), 'protocol', 1],
  ['a string', json('x'), 'protocol', 1],
  ['no data', json({ pagination: {}, error: null, meta: {} }), 'protocol', 1],
  ['data null', json(page(null)), 'protocol', 1],
  ['data an object', json(page({})), 'protocol', 1],
  ['no meta', json({ data: [], pagination: { hasMore: false }, error: null }), 'protocol', 1],
  ['meta an array', json({ ...page([]), meta: [] }), 'protocol', 1],
  ['an error beside 200', json({ ...page([]), error: { code: 'X' } }), 'protocol', 1],
  ['error false beside 200', json({ ...page([]), error: false }), 'protocol', 1],
  ['pagination null', json(envelope([])), 'protocol', 1],
  ['pagination an array', json({ ...page([]), pagination: [] }), 'protocol', 1],
  ['no hasMore', json(page([], { hasMore: undefined })), 'protocol', 1],
  ['hasMore a string', json(page([], { hasMore: 'false' })), 'protocol', 1],
  ['a numeric cursor', json(page([], { nextCursor: 5 })), 'protocol', 1],
  ['a huge cursor', json(page([], { nextCursor: 'x'.repeat(8193) })), 'protocol', 1],
  ['bytes that are not UTF-8', raw(Buffer.from([...Buffer.from(`${head},"x":"`), 0xff, 0x22, 0x7d])), 'protocol', 1],
  ['UTF-16', raw(Buffer.from(good, 'utf16le')), 'protocol', 1],
  ['an unknown coding', raw(good, { 'content-encoding': 'zstd' }), 'protocol', 1],
  ['two codings', raw(gzipSync(gzipSync(good)), { 'content-encoding': 'gzip, gzip' }), 'protocol', 1],
  ['a coding named as an object key', raw(good, { 'content-encoding': 'constructor' }), 'protocol', 1],
  ['gzip that is none', raw(good, gzip), 'protocol', 1],
  ['brotli that is none', raw(good, { 'content-encoding': 'br' }), 'protocol', 1],
  ['cut gzip', raw(gzipSync(good).subarray(0, 60), gzip), 'network', 5],
  ['a gzip bomb', raw(gzipSync(Buffer.alloc(64 * 2 ** 20)), gzip), 'too_large', 1],
  ['a brotli bomb', raw(brotliCompressSync(Buffer.alloc(64 * 2 ** 20)), { 'content-encoding': 'br' }), 'too_large', 1],
  ['a body over the cap', raw(Buffer.alloc(2 ** 20 + 1, 32)), 'too_large', 1],
  ['a huge error body', raw(Buffer.alloc(2 ** 20, 32), {}, 400), 'client_error', 1],
  ['an error bomb', raw(gzipSync(Buffer.alloc(64 * 2 ** 20)), gzip, 400), 'client_error', 1],
]

it.each(faults)('%s ends a users page as it should', async (_, send, reason, requests) => {
  const server = await testServer((_, response) => send(response))
  const { client, failed } = testClient(server.url, { api: { maxBodyBytes: 2 ** 20 } })
  const error = await caught(client.reader.fetch(users, {}))
  expect([error.reason, failed.length]).toEqual([reason, requests])
  expect(error.cause).toBeUndefined()
  expect(server.requests).toHaveLength(requests)
})

const fine: readonly (readonly [name: string, send: Send])[] = [
  ['gzip', raw(gzipSync(good), gzip)],
  ['x-gzip', raw(gzipSync(good), { 'content-encoding': 'X-GZIP' })],
  ['deflate', raw(deflateSync(good), { 'content-encoding': 'deflate' })],
  ['brotli', raw(brotliCompressSync(good), { 'content-encoding': 'br' })],
  ['identity', raw(good, { 'content-encoding': 'identity' })],
  ['a byte order mark', raw(`\ufeff${good}`)],
  ['another content type', raw(good, { 'content-type': 'text/plain' })],
  ['no error field', json({ ...page([user]), error: undefined })],
  ['an empty cursor', json(page([user], { nextCursor: '' }))],
  ['ids and times that are none', json({ ...page([user]), meta: { requestId: 5, timestamp: 'now' } })],
]

it.each(fine)('%s is read', async (_, send) => {
  const server = await testServer((_, response) => send(response))
  const { client } = testClient(server.url)
  expect((await client.reader.fetch(users, {})).items).toMatchObject([{ ok: true, record: user }])
})

it('reads roles up to 32 MiB where other bodies end at the cap', async () => {
  const big = JSON.stringify({ ...envelope([]), padding: 'x'.repeat(2 ** 20) })
  const server = await testServer((_, response) => response.end(big))
  const { client } = testClient(server.url, { api: { maxBodyBytes: 2 ** 20 } })
  expect((await client.reader.fetch(roles, {})).items).toEqual([])
  expect(await caught(client.reader.fetch(authenticationSettings, {}))).toMatchObject({
    reason: 'too_large',
    status: 200,
  })
})

const cuts: readonly (readonly [name: string, answer: string, reason: string, connections: number])[] = [
  ['content-length', `HTTP/1.1 200 OK\r\ncontent-length: ${good.length + 9}\r\n\r\n${good}`, 'network', 5],
  [
    'chunked',
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${good.length.toString(16)}\r\n${good}\r\n`,
    'network',
    5,
  ],
  ['close-delimited, valid JSON', 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"data":[]}', 'protocol', 1],
  ['close-delimited, cut inside', `HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${good.slice(0, -5)}`, 'protocol', 1],
  ['headers', 'HTTP/1.1 200 OK\r\ncontent-', 'network', 5],
  ['nothing', '', 'network', 5],
  ['garbage', 'SSH-2.0-OpenSSH\r\n\r\n', 'network', 5],
  ['huge headers', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 'too_large', 1],
]

it.each(cuts)('an answer cut short is never used: %s', async (_, answer, reason, expected) => {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => {})
    socket.once('data', () => socket.end(answer))
  })
  const { client } = testClient(`http://127.0.0.1:${await listening(server)}`)
  expect((await caught(client.reader.fetch(users, {}))).reason).toBe(reason)
  expect(connections).toBe(expected)
})

it.each([301, 302, 303, 307, 308])('never follows a %i, and the other listener gets no request', async (status) => {
  const other = await testServer((_, response) => sendJson(response, 200, page([])))
  const server = await testServer((_, response) => {
    response.writeHead(status, { location: `${other.url}/api/public/users`, refresh: `0; url=${other.url}` }).end()
  })
  const { client } = testClient(server.url)
  expect(await caught(client.reader.fetch(users, {}))).toMatchObject({
    reason: 'redirect',
    status,
    hint: expect.stringMatching(/baseUrl/),
  })
  expect(other.requests).toHaveLength(0)
  expect(server.requests).toHaveLength(1)
})

it('ends a dripping body at the total deadline', async () => {
  const server = await testServer((_, response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write(' '), 5)
    response.on('close', () => clearInterval(drip))
  })
  const { client, observed } = testClient(server.url, { api: { timeoutMs: 40 } })
  expect(await caught(client.reader.fetch(users, {}))).toMatchObject({
    reason: 'timeout',
    message: expect.stringMatching(/within 0.04 s/),
  })
  expect(observed.filter((line) => line.startsWith('/'))).toEqual(Array(5).fill('/api/public/users timeout'))
})

it('ends as aborted when the caller aborts, before and during the request', async () => {
  const server = await testServer(() => controller.abort())
  const { client } = testClient(server.url)
  const controller = new AbortController()
  expect(await caught(client.reader.fetch(users, {}, controller.signal))).toMatchObject({ reason: 'aborted' })
  expect(await caught(client.reader.fetch(users, {}, controller.signal))).toMatchObject({ reason: 'aborted' })
  expect(server.requests).toHaveLength(1)
})

it.each([
  ['http://127.0.0.1:1', 'network', /Nothing listens there/],
  ['https://127.0.0.1:PORT', 'tls', /does not speak TLS/],
])('reports for %s %s, with what to do', async (url, reason, hint) => {
  const server = await testServer((_, response) => response.end())
  const { client } = testClient(url.replace('PORT', String(server.port)))
  expect(await caught(client.reader.fetch(roles, {}))).toMatchObject({ reason, hint: expect.stringMatching(hint) })
})

it('reports code and request id of an error answer of any shape, never its text', async () => {
  const bodies: readonly (readonly [unknown, string, string | undefined])[] = [
    [problem('VALIDATION_FAILED'), ' VALIDATION_FAILED', expect.stringMatching(sentRequestId)],
    [{ error: 'BAD_REQUEST' }, ' BAD_REQUEST', undefined],
    [
      { error: [{ detail: { code: 'VALIDATION_FAILED' } }], meta: { requestId: 'private' } },
      ' VALIDATION_FAILED',
      undefined,
    ],
    [{ code: 'private text' }, '', undefined],
    [['private text'], '', undefined],
    ['private text', '', undefined],
    [JSON.parse(`${'[{"a":'.repeat(5000)}1${'}]'.repeat(5000)}`), '', undefined],
  ]
  for (const [body, code, id] of bodies) {
    const server = await testServer((_, response) => sendJson(response, 400, body))
    const { client } = testClient(server.url)
    const error = await caught(client.reader.fetch(users, { cursor: 'private' }))
    expect(error.message).toBe(`GET /api/public/users answered 400${code}`)
    expect(error).toMatchObject({ status: 400, requestId: id, hint: undefined })
  }
})

it('reports no failure for a user that does not exist, but one for a 404 or a record of something else', async () => {
  const bodies: [number, unknown][] = [
    [404, problem('NOT_FOUND')],
    [404, {}],
    [200, envelope({ ...user, userId: 8 })],
  ]
  const server = await testServer((_, response, number) => sendJson(response, ...(bodies[number - 1] ?? [500, {}])))
  const { client, failed } = testClient(server.url)
  expect(await client.reader.fetchOne(users, 7)).toMatchObject({ item: null })
  expect(failed).toEqual([])
  await caught(client.reader.fetchOne(users, 7))
  expect(failed).toEqual(['404'])
  await caught(client.reader.fetchOne(users, 7))
  expect(failed).toEqual(['404', 'protocol'])
})
