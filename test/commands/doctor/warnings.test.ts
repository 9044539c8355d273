import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { catalogue } from '../../../src/commands/support/configuration.ts'
import { loadSettings } from '../../../src/config/load-settings.ts'
import { openAddress, proxyInUse, tenantWarnings } from '../../../src/doctor/configuration.ts'
import type { Diagnosis } from '../../../src/doctor/diagnosis.ts'
import { resources } from '../../../src/resources/index.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { cli, doctor, synced } from '../support/cli.ts'

const chosen = 'checks: { user-mfa-enrolled: { enrolledWhen: mfaStatus } }'
const own = `ownClientId: 00000000-0000-4000-8000-000000000001, ${chosen}`

it('notes without a warning that no state of the drift checks was approved', () => {
  const baseline = 'auth-settings-unchanged: { baseline: { mfaEnabled: true } }'
  const checks = `checks: { user-mfa-enrolled: { enrolledWhen: mfaStatus }, ${baseline} }`
  expect(everything('', `ownClientId: 00000000-0000-4000-8000-000000000001, ${checks}`)).toEqual([
    expect.stringMatching(/^ok baseline: role-permissions-unchanged: /),
  ])
})

function warnings(...given: Parameters<typeof everything>): readonly string[] {
  return everything(...given).filter((line) => !line.startsWith('ok baseline: '))
}

const subjects = (lines: readonly string[]) => lines.map((line) => /^warn (\S+):/.exec(line)?.[1])

function everything(more = '', tenant = own, baseUrl = 'https://api.example.com', folder = '/'): readonly string[] {
  const file = `tenants: [{ name: acme, baseUrl: "${baseUrl}", auth: { token: { env: T } }, ${tenant} }]\n${more}`
  const { settings } = loadSettings({
    file: 'a.yaml',
    env: { T: 'x' },
    catalogue,
    cwd: folder,
    text: file,
    purpose: 'syntax',
  })
  const reported = (found: readonly Diagnosis[]) =>
    found.map(({ level, subject, text }) => `${level} ${subject}: ${text}`)
  return [
    ...settings.tenants.flatMap((one) => reported(tenantWarnings(one))),
    ...reported(openAddress(settings, folder)),
  ]
}

it('names the proxy that requests go through, without its password', () => {
  const said = (proxy: string, env: Readonly<Record<string, string>> = {}) => {
    const text = `tenants: [{ name: acme, baseUrl: "https://api.example.com", auth: { token: { env: T } } }]\napi: { proxy: ${proxy} }`
    const { settings } = loadSettings({ file: 'a.yaml', env: { T: 'x' }, catalogue, text, purpose: 'syntax' })
    return settings.tenants.flatMap((tenant) => proxyInUse(tenant, (name) => env[name])).map((one) => one.text)
  }
  expect(said('null')).toEqual([])
  expect(said('null', { HTTPS_PROXY: 'http://me:CANARY@p:1' })[0]).toMatch(/redacted@p:1, as HTTPS_PROXY/)
  expect(said('"http://me:CANARY@q:2"', { HTTPS_PROXY: 'http://p:1' })[0]).toMatch(/redacted@q:2, as api.proxy says$/)
  expect(said('{ file: /run/secrets/proxy }')).toEqual(['requests go through the proxy that api.proxy names'])
})

it.each<[more: string, tenant: string, expected: readonly string[]]>([
  ['', `ownClientId: null, ${chosen}`, ['ownClientId']],
  ['', own.replace('enrolledWhen: mfaStatus', ''), ['user-mfa-enrolled']],
  ['checks: { user-mfa-enrolled: { enabled: false } }', own.replace('enrolledWhen: mfaStatus', ''), ['checks']],
  ['documents: { knownStatuses: [Completed, Processing, Indexed, null] }', own, ['knownStatuses']],
  [
    'documents: { knownStatuses: [Completed, Processing, Queued] }\nchecks: { document-processing-finished: { statuses: [Processing, Queued] } }',
    own,
    [],
  ],
  ['checks: { document-current: { enabled: false } }', own, ['checks']],
  ['server: { listen: "0.0.0.0:9469", exposeDetails: true }', own, ['listen', 'exposeDetails']],
  ['server: { listen: "0.0.0.0:9469" }', own, ['listen']],
  ['server: { listen: "[::1]:9469" }', own, []],
  ['server: { exposeDetails: true }', own, []],
])('looks twice at %j with %s', (more, tenant, expected) => {
  expect(subjects(warnings(more, tenant))).toEqual(expected)
})

it('looks twice at a token that travels unencrypted', () => {
  const insecure = `${own}, api: { allowInsecureHttp: true }`
  expect(subjects(warnings('', insecure, 'http://api.example.com'))).toEqual(['baseUrl'])
  expect(warnings('', own, 'http://127.0.0.1:9470')).toEqual([])
})

it('takes users of the web configuration for protection', () => {
  const folder = temporaryFolder()
  const server = 'server: { listen: "0.0.0.0:9469", exposeDetails: true, webConfig: web.yaml }'
  const evaluated = (host = '0.0.0.0') =>
    warnings(server.replace('0.0.0.0', host), own, 'https://api.example.com', folder)
  writeFileSync(
    join(folder, 'web.yaml'),
    'basic_auth_users: { a: $2b$04$C94XCeEJ/IXMVPqS5a488Opg1B9P5Shl3sVk111V/tcvJDvbt56b. }\n',
  )
  expect(evaluated()).toEqual([])
  writeFileSync(join(folder, 'web.yaml'), 'tls_server_config: {}\n')
  expect(subjects(evaluated())).toEqual(['listen', 'exposeDetails'])
  writeFileSync(join(folder, 'web.yaml'), 'color: red\n')
  for (const host of ['0.0.0.0', '127.0.0.1'])
    expect(evaluated(host)).toEqual([expect.stringMatching(/^fail webConfig: /)])
})

it('notices two names of one tenant', async () => {
  const identity = async (token: 'secondReader' | 'withoutUsers') => {
    const world = await cli({ tenants: [{ name: 'acme' }, { name: 'globex', token }] })
    await world.run('sync')
    return (await doctor(world)).stdout.match(/^.* identity: .*/gm)
  }
  expect(await identity('secondReader')).toEqual(Array(2).fill(expect.stringMatching(/^ok /)))
  expect(await identity('withoutUsers')).toEqual([
    expect.stringMatching(/^fail .*globex.* Give each configured tenant its own token/),
    expect.stringMatching(/^fail .*acme.* Give each configured tenant its own token/),
  ])
})

it('warns of a resource that is switched off, and asks nothing for it', async () => {
  const world = await cli({ more: 'resources: { documents: { enabled: false } }' })
  const { code, stdout } = await doctor(world)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^warn documents Api_Documents_Read: switched off in the configuration\. Every check/m)
  expect(world.simulator.requests.count()).toBe(resources.length - 1)
})

it('tries the checks that operators wrote, and names entities that they could not evaluate', async () => {
  const world = await cli({ more: 'ownChecks: { folder: own, timeoutSeconds: 300 }' })
  mkdirSync(join(world.folder, 'own'))
  const header = '-- id: own-one\n-- title: One\n-- severity: medium\n-- inputs: users\n'
  const write = (query: string) => writeFileSync(join(world.folder, 'own', 'own-one.sql'), `${header}${query}\n`)
  write('select nonsense from users')
  const bad = await doctor(world)
  expect([bad.code, bad.stdout]).toEqual([3, expect.stringMatching(/^fail own checks: own-one\.sql: .*nonsense/m)])
  write("select userId as entity, iif(userId <= 1001, 'error', 'alarm') as status, 'm' as reason from users")
  await world.run('sync')
  const { stdout } = await doctor(world)
  expect(stdout).toMatch(/^ok own checks: 1 query without errors/m)
  expect(stdout).toMatch(/^warn own checks: own-one could not evaluate 1 of 250 entities.*"tenantwatch checks --try/m)
  expect((await world.run('checks', '--try', 'own/own-one.sql')).stdout).toMatch(/^error +\S+ +1001 +m$/m)
})

it('calls no allow-list wrong where the list of API clients was never read', async () => {
  const allowed = 'checks: { api-client-least-privilege: { allowed: { 00000000-0000-4000-8000-0000000000ff: [A] } } }'
  const world = await cli({ tenants: [{ name: 'acme', token: 'withoutApiClients' }], more: allowed })
  await world.run('sync')
  expect((await doctor(world)).stdout).not.toContain('0ff, which is no API')
})

it('names allow-lists of clients that no tenant has, and suffixes in which no code ends', async () => {
  const options = '{ allowed: { 00000000-0000-4000-8000-0000000000ff: [A] }, forbiddenSuffixes: [_Creat, _create] }'
  const world = await synced({ more: `checks: { api-client-least-privilege: ${options} }` })
  const said = (await doctor(world)).stdout.match(/^warn api-client-least-privilege: .*/gm)
  expect(said).toEqual([
    expect.stringContaining('0ff, which is no API'),
    expect.stringContaining('has _Creat, in which'),
  ])
})
