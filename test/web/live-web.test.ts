import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
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

it.each(['', '# users\n', '{}', 'basic_auth_users:', 'http_server_config: {}\nbasic_auth_users: {}'])(
  'refuses to begin with %j: who names a file for users must not be without any',
  async (text) => {
    await expect(startLive(text)).rejects.toThrow(/without (authentication|a user)/)
  },
)
