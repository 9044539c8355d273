import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ConfigError } from '../../src/config/mistakes.ts'
import { selfSigned } from '../support/certificate.ts'
import { basic, hashes, startLive } from './support/live.ts'
import { open as connectTo } from './support/wire.ts'

const tls = 'tls_server_config: { cert_file: server.crt, key_file: server.key }\n'
const alice = `basic_auth_users: { alice: ${hashes.wonder} }\n`
const bob = `basic_auth_users: { bob: ${hashes.build} }\n`

it('applies changed users to the next request', async () => {
  await using web = await startLive(alice)
  expect((await web.get('/', basic('alice', 'wonder'))).status).toBe(200)
  web.change(bob)
  expect((await web.get('/', basic('alice', 'wonder'))).status).toBe(401)
  expect((await web.get('/', basic('bob', 'build'))).status).toBe(200)
})

it('speaks TLS with its certificate, and with a rotated one from the next handshake on', async () => {
  await using web = await startLive(tls)
  const first = await web.get('/')
  expect(first.status).toBe(200)
  web.show(selfSigned('127.0.0.1'))
  web.change(tls)
  const second = await web.get('/')
  expect(second.status).toBe(200)
  expect(second.fingerprint).not.toBe(first.fingerprint)
  web.show(web.own)
  web.change(tls)
  expect((await web.get('/')).fingerprint).toBe(first.fingerprint)
})

it('ends at once beside a connection that never sends its TLS handshake', async () => {
  await using web = await startLive(tls)
  const silent = await connectTo(web.port)
  await web.get('/')
  const began = performance.now()
  await web.server.dispose(100)
  expect(performance.now() - began).toBeLessThan(5000)
  silent.destroy()
})

it('keeps the last valid configuration while the file is invalid, empty or gone', async () => {
  await using web = await startLive(tls + alice)
  const { fingerprint } = await web.get('/')
  const mallory = /^web\.yaml:1:\d+: `basic_auth_users\.mallory` is a string; expected a bcrypt/
  expect(() => web.change('basic_auth_users: { mallory: letmein }')).toThrow(mallory)
  expect(() => web.change('')).toThrow('which would allow access without authentication')
  rmSync(join(web.folder, 'web.yaml'))
  expect(() => web.live.read('web.yaml')).toThrow(ConfigError)
  expect((await web.get('/', basic('alice', 'wonder'))).fingerprint).toBe(fingerprint)
  expect((await web.get('/', basic('mallory', 'letmein'))).status).toBe(401)
  web.change(tls + bob)
  expect((await web.get('/', basic('bob', 'build'))).status).toBe(200)
})

it('refuses to switch TLS on or off, or to open itself, without a restart', async () => {
  await using plain = await startLive(alice)
  expect(() => plain.change(tls + bob)).toThrow('`tls_server_config` turns TLS on, which takes a restart')
  expect(() => plain.change('tls_server_config: {}')).toThrow('removing all users')
  expect((await plain.get('/', basic('alice', 'wonder'))).status).toBe(200)
  await using secure = await startLive(tls)
  expect(() => secure.change(alice)).toThrow('`tls_server_config` turns TLS off, which takes a restart')
  expect((await secure.get('/')).status).toBe(200)
})

/** Content of a file that admits everybody. */
const open = 'tls_server_config: {}'

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
