import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { environmentProxy, proxyFor } from '../../../src/api/transport/proxy.ts'
import { roles } from '../../../src/resources/roles.ts'
import { listening } from '../../support/listening.ts'
import { caught } from '../support/caught.ts'
import { testClient } from '../support/client.ts'

const over = (env: Readonly<Record<string, string>>) => (origin: string) =>
  environmentProxy(origin, (name) => env[name])

it('takes the proxy of the environment, by scheme, and lower-case names first', () => {
  const proxy = over({ HTTPS_PROXY: 'http://a:1', https_proxy: 'b:2', HTTP_PROXY: 'https://c:3' })
  expect(proxy('https://api.example.com')).toBe('http://b:2')
  expect(proxy('http://api.example.com')).toBe('https://c:3')
  for (const origin of ['http://127.0.0.1:80', 'http://localhost', 'https://[::1]:9']) expect(proxy(origin)).toBeNull()
  expect(over({})('https://api.example.com')).toBeNull()
  expect(() => over({ HTTPS_PROXY: 'ftp://x' })('https://a.example')).toThrow(/HTTPS_PROXY/)
})

it.each([
  ['example.com', true],
  ['.example.com', true],
  ['*.Example.com', true],
  ['api.example.com:8443', true],
  ['x.org, api.example.com', true],
  ['*', true],
  ['api.example.com:443', false],
  ['ample.com', false],
  ['', false],
])('goes past the proxy for NO_PROXY %j: %j', (entries, isPast) => {
  const proxy = over({ HTTPS_PROXY: 'http://a:1', NO_PROXY: entries })
  expect(proxy('https://api.example.com:8443')).toBe(isPast ? null : 'http://a:1')
})

it('prefers api.proxy, also from a source', async () => {
  const env = () => 'http://environment:1'
  expect(await proxyFor('http://own:2', env)('https://a.example')).toBe('http://own:2')
  expect(await proxyFor(null, env)('https://a.example')).toBe('http://environment:1')
})

it.each([
  [407, 'client_error', /asks for credentials/],
  [403, 'client_error', /have it allowed/],
  [502, 'network', /reaches the host/],
] as const)(
  'names the status %d of a proxy that opens no tunnel, and does not repeat a refusal',
  async (status, reason, hint) => {
    let asked = 0
    const proxy = createServer().on('connect', (_, socket) => {
      asked++
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    })
    const through = `http://me:CANARY@127.0.0.1:${await listening(proxy)}`
    const { client } = testClient('https://api.example.com', { api: { proxy: through }, retries: 1 })
    const error = await caught(client.reader.fetch(roles, {}))
    expect(error).toMatchObject({ reason, hint: expect.stringMatching(hint) })
    expect(error.message).toContain(`the proxy answered ${status}`)
    expect(asked).toBe(status === 502 ? 2 : 1)
    expect(JSON.stringify(error)).not.toContain('CANARY')
  },
)
