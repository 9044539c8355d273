import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { hash } from 'bcrypt'
import { expect, it, vi } from 'vitest'
import { openWorld, type World } from '../hostile/support/world.ts'
import { roundTrip } from '../web/support/wire.ts'
import { filesIn } from './support/files.ts'
import { leaksIn } from './support/leaks.ts'

vi.setConfig({ testTimeout: 60_000 })

const right = 'CANARY-right-7b1d90c4ee52'
const wrong = 'CANARY-wrong-3f8a26d97c10'
const stray = 'CANARY-stray-a94e07b3f561'
const strayer = 'CANARY-other-c05d81e62f97'
const passwords = [right, wrong, stray, strayer]

const paths = [
  '/',
  '/metrics',
  '/healthz',
  '/api/v1/status',
  '/api/v1/checks',
  '/api/v1/findings?state=all',
  '/nothing',
]
const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

async function guarded() {
  const simulator = { problems: false, sizes: { users: 20, documents: 10 } }
  const world = await openWorld({ simulator, server: 'webConfig: web.yaml' })
  const stored = await hash(right, 4)
  const configure = (text: string) => writeFileSync(join(world.folder, 'web.yaml'), text)
  configure(`basic_auth_users: { alice: "${stored}" }\n`)
  return { world, configure, stored }
}

/** Headers by which a password is sent, as it should be and as people and machines get it wrong. */
function headers(password: string): readonly string[] {
  return [
    basic('alice', password),
    basic('bob', password),
    basic('', password),
    basic(password, 'x'),
    `Basic ${password}`,
    `Basic alice:${password}`,
    `Bearer ${password}`,
    `Digest username="alice", response="${password}"`,
    password,
    `${basic('alice', password)}, ${basic('bob', password)}`,
    basic('alice', password).replace('Basic ', 'basic   '),
    basic('alice', password.repeat(400)),
  ]
}

/** Answers of a daemon to requests with a password in every possible place, and its state afterwards. */
async function answersTo(world: World, password: string): Promise<string[]> {
  const daemon = await world.daemon()
  const observed: string[] = []
  try {
    const { port } = daemon.address
    for (const authorization of headers(password)) {
      for (const path of paths) {
        const answer = await fetch(daemon.origin + path, { headers: { authorization } }).catch(String)
        observed.push(typeof answer === 'string' ? answer : inspect([...answer.headers]) + (await answer.text()))
      }
      const reload = await fetch(`${daemon.origin}/-/reload`, { method: 'POST', headers: { authorization } }).catch(
        String,
      )
      observed.push(typeof reload === 'string' ? reload : await reload.text())
    }
    const host = 'Host: 127.0.0.1\r\nConnection: close\r\n'
    for (const bytes of [
      `GET http://alice:${password}@127.0.0.1/metrics HTTP/1.1\r\n${host}\r\n`,
      `GET /metrics HTTP/1.1\r\n${host}Authorization: ${basic('alice', password)}\r\nX\u0000: ${password}\r\n\r\n`,
      `GET /metrics HTTP/1.1\r\n${host}Proxy-Authorization: ${basic('alice', password)}\r\n\r\n`,
      `POST /-/reload HTTP/1.1\r\n${host}Content-Length: 90\r\n\r\npassword=${password}`.padEnd(240, ' '),
      `${password}\r\n\r\n`,
    ])
      observed.push(await roundTrip(port, bytes))
    observed.push(inspect(daemon.session, { depth: 8, showHidden: true, maxStringLength: null }), filesIn(world.folder))
  } finally {
    await daemon[Symbol.asyncDispose]()
  }
  return [...observed, daemon.logged()]
}

it.each([
  ['right', right],
  ['wrong', wrong],
])('lets a %s password out nowhere, at the finest level and however it is sent', async (kind, password) => {
  const { world, stored } = await guarded()
  await using _ = world
  await world.run('sync')
  const observed = await answersTo(world, password)
  // A password that let nobody in, or a server that let in everybody, would prove nothing.
  const letIn = observed.filter((text) => text.includes('tenantwatch_build_info')).length
  expect(letIn > 0).toBe(kind === 'right')
  expect(observed.filter((text) => text.includes('Authentication required')).length).toBeGreaterThan(10)
  for (const args of [['config', 'print'], ['config', 'check'], ['doctor'], ['metrics'], ['sync', '--full']]) {
    const { stdout, stderr } = await world.run(...args)
    observed.push(stdout, stderr)
  }
  expect(leaksIn(observed.join('\n'), passwords)).toEqual([])
  const beside = observed.filter((text) => !text.includes('basic_auth_users'))
  expect(beside.length).toBeGreaterThan(observed.length - 3)
  for (const text of beside) expect(text.includes(stored)).toBe(false)
})

const mistaken: readonly string[] = [
  `basic_auth_users: { alice: ${stray} }`,
  `basic_auth_users: { "alice:${stray}": x }`,
  `basic_auth_users: alice:${stray}`,
  `basic_auth_users: [alice, ${stray}]`,
  `basic_auth_users: { alice: { password: ${stray} } }`,
  `basic_auth_user: { alice: ${stray} }`,
  `alice: ${stray}`,
  `basic_auth_users: { alice: "${stray}`,
  `basic_auth_users:\n\talice: ${stray}\n`,
  `basic_auth_users: { alice: !secret ${stray} }`,
  `basic_auth_users: { alice: *${stray} }`,
  `tls_server_config: { cert: "-----BEGIN CERTIFICATE-----${strayer}", key: "${stray}" }`,
  `tls_server_config: { cert_file: web.yaml, key_file: "-----BEGIN PRIVATE KEY-----\\n${stray}" }`,
  `tls_server_config: { cert_file: web.yaml, key_file: web.yaml, client_ca: "${strayer}", client_auth_type: RequireAndVerifyClientCert } # ${stray}`,
  `${stray}`,
]

it('repeats no password that the web configuration has in place of a hash', async () => {
  const { world, configure } = await guarded()
  await using _ = world
  const good = await world.daemon()
  const observed: string[] = []
  try {
    for (const text of mistaken) {
      configure(text)
      const { code, stdout, stderr } = await world.run('config', 'check')
      expect([text, code]).toEqual([text, 2])
      expect(stderr).toContain('web.yaml')
      observed.push(stdout, stderr)
      // The daemon also reads it again, and logs the problem.
      observed.push(await (await fetch(good.origin, { headers: { authorization: basic('alice', stray) } })).text())
    }
  } finally {
    await good[Symbol.asyncDispose]()
  }
  const log = good.logged()
  expect(log.match(/Web configuration is invalid/g)).toHaveLength(mistaken.length)
  expect(leaksIn([...observed, log].join('\n'), [stray, strayer])).toEqual([])
})
