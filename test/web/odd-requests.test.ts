import { expect, it } from 'vitest'
import { closed, startServer } from './support/server.ts'
import { answerOf, roundTrip } from './support/wire.ts'

const end = '\r\nConnection: close\r\n\r\n'
const local = `Host: 127.0.0.1${end}`

const odd: readonly (readonly [what: string, request: string, status: number])[] = [
  ['no Host', `GET /healthz HTTP/1.1${end}`, 400],
  ['an empty Host', `GET / HTTP/1.1\r\nHost: ${end}`, 421],
  ['another Host', `GET / HTTP/1.1\r\nHost: evil.example${end}`, 421],
  ['a Host that only begins well', `GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example${end}`, 421],
  ['two Hosts', `GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example${end}`, 421],
  [
    'a Host of which a proxy knows better',
    `GET / HTTP/1.1\r\nX-Forwarded-Host: localhost\r\nHost: evil.example${end}`,
    421,
  ],
  ['a good Host of which a proxy knows worse', `GET / HTTP/1.1\r\nX-Forwarded-Host: evil.example\r\n${local}`, 200],
  ['a whole URL elsewhere', `GET http://evil.example/ HTTP/1.1\r\n${local}`, 421],
  ['a whole URL here under a Host elsewhere', `GET http://localhost/ HTTP/1.1\r\nHost: evil.example${end}`, 421],
  ['a path that only begins like an open one', `GET /metrics/x HTTP/1.1\r\nHost: evil.example${end}`, 421],
  ['a probe by HTTP/1.0 without a Host', 'GET /healthz HTTP/1.0\r\n\r\n', 200],
  ['TRACE', `TRACE / HTTP/1.1\r\nAuthorization: Basic canary\r\n${local}`, 405],
  ['dots', `GET /../../etc/passwd HTTP/1.1\r\n${local}`, 404],
  ['an encoded NUL', `GET /metrics%00.css HTTP/1.1\r\n${local}`, 404],
  ['two slashes', `GET //evil.example/metrics HTTP/1.1\r\n${local}`, 404],
  ['a path of 20,000 characters', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${local}`, 431],
  ['1,000 headers', `GET / HTTP/1.1\r\n${'Accept: text/plain\r\n'.repeat(1000)}${local}`, 431],
  [
    'an upgrade',
    'GET /healthz HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c, websocket\r\nConnection: close, Upgrade\r\n\r\n',
    200,
  ],
]

it.each(odd)('answers %s as it should, and with nothing of the request', async (_, request, status) => {
  await using web = await startServer()
  const answer = answerOf(await roundTrip(web.port, request))
  expect(answer?.status).toBe(status)
  for (const name of ['server', 'x-powered-by', 'access-control-allow-origin', 'set-cookie', 'location'])
    expect(answer?.headers[name]).toBeUndefined()
  if (status >= 400) expect(answer?.body.length).toBeLessThan(120)
  expect(answer?.body).not.toMatch(/evil|canary|passwd|root:/i)
})

it('lets no spelling of a path past authentication', async () => {
  await using web = await startServer({ users: closed })
  const open = ['/healthz', '/readyz']
  const spellings = open.flatMap((path) => [`${path}/../metrics`, `${path}/%2e%2e/metrics`, `${path};/metrics`])
  for (const path of [
    ...spellings,
    '//metrics',
    '/%6detrics',
    '/healthz%2f..%2fmetrics',
    '/metrics?/healthz',
    '/x#/healthz',
  ]) {
    const answer = answerOf(await roundTrip(web.port, `GET ${path} HTTP/1.1\r\n${local}`))
    expect([path, answer?.status]).toEqual([path, 401])
    expect(answer?.body).not.toContain('up 1')
  }
})
