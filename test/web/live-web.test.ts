import { renameSync, rmSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ConfigError } from '../../src/config/yaml/errors.ts'
import { silentLog } from '../../src/model/log.ts'
import { LiveWeb } from '../../src/web/live-web.ts'
import { selfSigned } from '../support/certificate.ts'
import { basic, hashes, startLive } from './support/live.ts'

const tls = 'tls_server_config: { cert_file: server.crt, key_file: server.key }\n'
const alice = `basic_auth_users: { alice: ${hashes.wonder} }\n`
const bob = `basic_auth_users: { bob: ${hashes.build} }\n`
const warnings = (logged: readonly { level: string; message: string }[]) =>
  logged.filter(({ level }) => level === 'warn')

it('requires user name and password except for health and readiness', async () => {
  await using web = await startLive(alice)
  for (const path of ['/', '/metrics', '/api/v1/findings', '/style.css']) expect((await web.get(path)).status).toBe(401)
  for (const path of ['/healthz', '/readyz']) expect((await web.get(path)).status).toBe(200)
  expect((await web.get('/metrics', basic('alice', 'wonder'))).status).toBe(200)
  expect((await web.get('/metrics', basic('alice', 'build'))).status).toBe(401)
  expect((await web.get('/metrics', basic('bob', 'wonder'))).status).toBe(401)
})

it('allows reload behind authentication on any address', async () => {
  await using web = await startLive(alice, '0.0.0.0')
  const post = { method: 'POST' }
  expect((await web.get('/-/reload', post)).status).toBe(401)
  expect((await web.get('/-/reload', { ...post, ...basic('alice', 'wonder') })).status).toBe(200)
})

it('applies changed users to the next request', async () => {
  await using web = await startLive(alice)
  expect((await web.get('/', basic('alice', 'wonder'))).status).toBe(200)
  web.write('web.yaml', bob)
  expect((await web.get('/', basic('alice', 'wonder'))).status).toBe(401)
  expect((await web.get('/', basic('bob', 'build'))).status).toBe(200)
  expect(web.readings).toEqual([true])
})

it('speaks TLS with its certificate, and with a rotated one from the next handshake on', async () => {
  await using web = await startLive(tls)
  const first = await web.get('/')
  expect(first.status).toBe(200)
  web.show(selfSigned('127.0.0.1'))
  const second = await web.get('/')
  expect(second.status).toBe(200)
  expect(second.fingerprint).not.toBe(first.fingerprint)
  web.show(web.own)
  expect((await web.get('/')).fingerprint).toBe(first.fingerprint)
})

it('closes connections from before a rotation after their next answer', async () => {
  await using web = await startLive(tls)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  expect((await web.get('/', { agent })).headers['connection']).toBe('keep-alive')
  const before = await web.get('/', { agent })
  web.show(selfSigned('127.0.0.1'))
  expect(await web.get('/', { agent })).toMatchObject({ status: 200, headers: { connection: 'close' } })
  const after = await web.get('/', { agent })
  expect(after.headers['connection']).toBe('keep-alive')
  expect(after.fingerprint).not.toBe(before.fingerprint)
})

it('keeps the last valid configuration while the file is invalid and logs it once', async () => {
  await using web = await startLive(tls + alice)
  const { fingerprint } = await web.get('/')
  web.write('web.yaml', 'basic_auth_users: { mallory: letmein }')
  for (let i = 0; i < 3; i++) expect((await web.get('/', basic('alice', 'wonder'))).fingerprint).toBe(fingerprint)
  expect((await web.get('/', basic('mallory', 'letmein'))).status).toBe(401)
  expect(web.readings).toEqual([false])
  expect(warnings(web.logged)).toEqual([
    {
      level: 'warn',
      message: 'Web configuration is invalid; the last valid one stays in force',
      fields: {
        problems: [
          expect.stringMatching(/^web\.yaml:1:\d+: `basic_auth_users\.mallory` is a string; expected a bcrypt/),
        ],
      },
    },
  ])
  web.write('web.yaml', tls + bob)
  expect((await web.get('/', basic('bob', 'build'))).status).toBe(200)
  expect(web.readings).toEqual([false, true])
})

it('waits for the key of a certificate that was written first', async () => {
  await using web = await startLive(tls)
  const next = selfSigned('127.0.0.1')
  const before = await web.get('/')
  web.write('server.crt', next.cert)
  expect((await web.get('/')).fingerprint).toBe(before.fingerprint)
  web.write('server.key', next.key)
  expect((await web.get('/')).fingerprint).not.toBe(before.fingerprint)
  expect(web.readings).toEqual([false, true])
})

it('reloads when a file appears that only the invalid configuration names', async () => {
  await using web = await startLive(tls)
  const { fingerprint } = await web.get('/')
  web.write('web.yaml', tls.replaceAll('server.', 'next.'))
  expect((await web.get('/')).fingerprint).toBe(fingerprint)
  const { cert, key } = selfSigned('127.0.0.1')
  web.write('next.crt', cert)
  web.write('next.key', key)
  expect((await web.get('/')).fingerprint).not.toBe(fingerprint)
})

it.each([
  ['empty', (folder: string, write: (name: string, text: string) => void) => void (folder && write('web.yaml', ''))],
  ['deleted', (folder: string) => rmSync(join(folder, 'web.yaml'))],
  ['moved away', (folder: string) => renameSync(join(folder, 'web.yaml'), join(folder, 'web.old'))],
])('stays closed when its file is %s', async (_, change) => {
  await using web = await startLive(alice)
  change(web.folder, web.write)
  expect((await web.get('/')).status).toBe(401)
  expect((await web.get('/', basic('alice', 'wonder'))).status).toBe(200)
  expect(web.readings).toEqual([false])
})

it('refuses to switch TLS on or off without a restart', async () => {
  await using plain = await startLive(alice)
  plain.write('web.yaml', tls + bob)
  expect((await plain.get('/', basic('alice', 'wonder'))).status).toBe(200)
  await using secure = await startLive(tls)
  secure.write('web.yaml', alice)
  expect((await secure.get('/')).status).toBe(200)
  for (const [{ logged }, way] of [
    [plain, 'on'],
    [secure, 'off'],
  ] as const)
    expect(logged.at(-1)?.fields).toEqual({
      problems: [`\`tls_server_config\` turns TLS ${way}, which takes a restart`],
    })
})

it('overrides its own headers by those of the file', async () => {
  await using web = await startLive(
    'http_server_config: { headers: { X-Frame-Options: sameorigin, X-XSS-Protection: "0" } }',
  )
  for (const path of ['/', '/api/v1/findings', '/nothing']) {
    const { headers } = await web.get(path)
    expect(headers).toMatchObject({ 'x-frame-options': 'sameorigin', 'x-xss-protection': '0' })
    expect(headers['x-content-type-options']).toBe('nosniff')
  }
})

it('warns about passwords without TLS on non-loopback addresses, and about HTTP/2', async () => {
  const text = (host: string) =>
    startLive(alice, host).then(async (web) => {
      await web[Symbol.asyncDispose]()
      return warnings(web.logged).map(({ message }) => message)
    })
  expect(await text('127.0.0.1')).toEqual([])
  expect(await text('0.0.0.0')).toEqual(['Passwords are sent unencrypted: users are configured without TLS'])
  await using web = await startLive(`${tls}http_server_config: { http2: true }`)
  expect(web.logged.map(({ message }) => message)).toEqual([
    'HTTP/2 is not supported; clients are served over HTTP/1.1',
  ])
})

/** Content of a file that admits everybody. */
const open = 'http_server_config: {}'

it.each([
  ['127.0.0.1', open, 0],
  ['localhost', open, 0],
  ['0.0.0.0', open, 1],
  ['0.0.0.0', tls, 1],
  ['0.0.0.0', tls + alice, 0],
])('warns once on %s with "%s" of an address that is open to everybody', async (host, text, count) => {
  await using web = await startLive(text, host)
  for (let i = 0; i < 3; i++) await web.get('/')
  const warned = web.logged.filter(({ message }) => message.startsWith('Status page and metrics are open to everybody'))
  expect(warned).toEqual(Array(count).fill({ level: 'warn', fields: { host }, message: expect.any(String) }))
})

it('applies no other change between reading and applying a candidate', async () => {
  await using web = await startLive(open)
  const { live } = web
  const candidate = live.candidate('web.yaml')
  web.write('web.yaml', alice)
  expect(live.settings().users.size).toBe(0)
  live.use(candidate)
  expect(live.settings().users.size).toBe(0)
  live.release()
  expect([...live.settings().users.keys()]).toEqual(['alice'])
})

it('still follows its file after an invalid candidate', async () => {
  await using web = await startLive(alice)
  const { live } = web
  expect(() => live.candidate(null)).toThrow(ConfigError)
  web.write('web.yaml', bob)
  expect([...live.settings().users.keys()]).toEqual(['bob'])
})

it.each(['', '# users\n', '{}', 'basic_auth_users:', 'http_server_config: {}\nbasic_auth_users: {}'])(
  'refuses to begin with %j: who names a file for users must not be without any',
  async (text) => {
    await expect(startLive(text)).rejects.toThrow(/without (authentication|a user)/)
  },
)

it('refuses to start with an invalid file', () => {
  const options = { cwd: '/', host: '127.0.0.1', log: silentLog(), onReading: () => {} }
  expect(() => new LiveWeb('no/such/web.yaml', options)).toThrow(ConfigError)
})
