import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadSettings } from '../../src/config/load-settings.ts'
import type { Environment } from '../../src/config/probes.ts'
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { fakeCatalogue } from './fake-catalogue.ts'
import { canary, env, load, loadText, problemsOf } from './load.ts'

const tenant = (name: string) =>
  `tenants: [{ name: ${name}, baseUrl: https://${name}.example.com, auth: { token: { env: ACME_TOKEN } } }]`
const files = {
  'named.yaml': tenant('named'),
  'variable.yaml': tenant('variable'),
  'config/tenantwatch.yaml': tenant('found'),
}
const nameOf = ({ settings }: ReturnType<typeof load>) => settings.tenants[0]?.name

it('prefers the file of the command line, then TENANTWATCH_CONFIG, then the default file', () => {
  const variables = { ...env, TENANTWATCH_CONFIG: 'variable.yaml', TENANTWATCH_BASE_URL: 'https://x.example.com' }
  expect(nameOf(load(files, variables, 'named.yaml'))).toBe('named')
  expect(nameOf(load(files, variables))).toBe('variable')
  expect(nameOf(load(files, { ...variables, TENANTWATCH_CONFIG: '' }))).toBe('found')
  expect(load(files, env).source).toBe('config/tenantwatch.yaml')
})

it('makes one tenant of the environment when there is no file', () => {
  const { settings, source } = load({}, { TENANTWATCH_BASE_URL: 'https://api.example.com/', TENANTWATCH_TOKEN: canary })
  expect(source).toBe('environment')
  expect(settings.tenants).toMatchObject([
    { name: 'default', baseUrl: 'https://api.example.com', auth: { token: { env: 'TENANTWATCH_TOKEN' } } },
  ])
  expect(JSON.stringify(settings)).not.toContain(canary)
})

it('takes the token file of the environment', () => {
  const variables = { TENANTWATCH_BASE_URL: 'https://api.example.com', TENANTWATCH_TOKEN_FILE: 'token.txt' }
  const { settings } = load({ 'token.txt': canary }, variables)
  expect(settings.tenants[0]?.auth.token).toEqual({ file: 'token.txt' })
})

const both = { TENANTWATCH_TOKEN: canary, TENANTWATCH_TOKEN_FILE: 'f', TENANTWATCH_LISTEN: 'x' }

it.each<[names: readonly string[], variables: Environment, file?: string]>([
  [['TENANTWATCH_TOKEN and', 'TENANTWATCH_BASE_URL', 'TENANTWATCH_TOKEN_FILE', 'TENANTWATCH_LISTEN'], both],
  [['neither'], { TENANTWATCH_BASE_URL: 'https://api.example.com', TENANTWATCH_TOKEN: ' ' }],
  [['config/tenantwatch.yaml'], { TENANTWATCH_CONFIG: '', TENANTWATCH_BASE_URL: '' }],
  [['gone.yaml, named by --config'], env, 'gone.yaml'],
  [['gone.yaml, named by TENANTWATCH_CONFIG'], { TENANTWATCH_CONFIG: 'gone.yaml' }],
])('names %j where the environment or a file is not enough', (names, variables, file) => {
  expect(problemsOf(() => load({}, variables, file))).toEqual(names.map((name) => expect.stringContaining(name)))
})

it('lets the store path and the listen address of the environment win over the file', () => {
  const variables = { ...env, TENANTWATCH_STORE_PATH: '/data/db', TENANTWATCH_LISTEN: ':8080' }
  const { settings } = loadText(
    `${tenant('acme')}\nstore: { path: 5 }\nserver: { listen: nowhere, exposeDetails: false }`,
    variables,
  )
  expect(settings.store).toEqual({ path: '/data/db', url: null })
  expect(settings.server).toEqual({
    host: '::',
    port: 8080,
    webConfig: null,
    exposeDetails: false,
    allowedHosts: [],
    externalUrl: null,
  })
})

it('merges the overrides of a tenant key by key', () => {
  const { settings } = loadText(`
tenants:
  - name: acme
    baseUrl: http://api.internal/prefix/
    auth: { scheme: "", token: { command: [vault, read] } }
    ownClientId: 0A0B0C0D-0000-0000-0000-00000000000F
    api: { pageSize: 50, allowInsecureHttp: true }
    schedule: { users: { full: "0 * * * *" } }
    freshness: { users: 3h }
    checks: { user-invitation-accepted: { highDays: 60 }, user-mfa-enrolled: { enabled: true } }
    resources: { documents: { enabled: true } }
  - { name: globex, baseUrl: "https://globex.example.com", auth: { token: { env: GLOBEX_TOKEN } } }
api: { pageSize: 100, maxPages: 7 }
schedule: { users: { incremental: "*/2 * * * *", full: "0 */2 * * *" }, evaluate: "*/10 * * * *" }
freshness: { users: 1d, documents: 2d }
checks: { user-invitation-accepted: { mediumDays: 7, severity: low }, user-mfa-enrolled: { enabled: false } }
resources: { documents: { enabled: false }, roles: { enabled: false } }
`)
  const [acme, globex] = settings.tenants
  expect(acme).toMatchObject({
    baseUrl: 'http://api.internal/prefix',
    ownClientId: '0a0b0c0d-0000-0000-0000-00000000000f',
  })
  expect(acme?.api).toMatchObject({ pageSize: 50, maxPages: 7 })
  expect(globex?.api).toMatchObject({ pageSize: 100, maxPages: 7, allowInsecureHttp: false })
  expect(acme?.resources.users).toMatchObject({
    incremental: { intervalMs: 2 * minuteMs },
    full: { intervalMs: hourMs },
    freshnessMs: 3 * hourMs,
  })
  expect(globex?.resources.users).toMatchObject({ full: { intervalMs: 2 * hourMs }, freshnessMs: dayMs })
  expect(acme?.resources.documents).toMatchObject({ enabled: true, freshnessMs: 2 * dayMs })
  expect(acme?.resources.roles.enabled).toBe(false)
  expect(globex?.resources.documents.enabled).toBe(false)
  expect(acme?.checks['user-invitation-accepted']).toEqual({
    enabled: true,
    severity: 'low',
    options: { mediumDays: 7, highDays: 60 },
  })
  expect(acme?.checks['user-mfa-enrolled']?.enabled).toBe(true)
  expect(globex?.checks['user-mfa-enrolled']?.enabled).toBe(false)
  expect(settings.evaluate.intervalMs).toBe(10 * minuteMs)
})

it('keeps a waiver valid to the last instant of its day, also in the past', () => {
  const waiver = 'id: W-1, check: user-mfa-enrolled, entity: 42, tenant: acme, owner: me, expires: 2020-02-29'
  const { settings } = loadText(`${tenant('acme')}\nwaivers: [{ ${waiver}, reason: A reason of twenty characters }]`)
  expect(settings.waivers).toMatchObject([{ entity: '42', expiresMs: Date.parse('2020-02-29T23:59:59.999Z') }])
})

it.each([
  ['pipe', 'it is not a regular file'],
  ['/dev/zero', 'it is not a regular file'],
  ['folder', 'it is a directory'],
  ['huge', /it is larger than (64|4096) KiB/],
])('waits for no %s, wherever the configuration names it', (name, why) => {
  const cwd = temporaryFolder()
  const write = (file: string, text: string | Buffer) => writeFileSync(join(cwd, file), text)
  execFileSync('mkfifo', [join(cwd, 'pipe')])
  mkdirSync(join(cwd, 'folder'))
  write('huge', Buffer.alloc(4 * 2 ** 20 + 1))
  const oauth2 = `oauth2: { tokenUrl: "https://x.example.com", clientId: c, clientSecret: { file: ${name} } }`
  const places = `api: { caFile: ${name} }\nserver: { webConfig: ${name} }`
  write('a.yaml', `${tenant('acme').replace('env: ACME_TOKEN', oauth2)}\n${places}`)
  const tls = `cert_file: ${name}, key_file: ${name}, client_ca_file: ${name}, client_auth_type: RequireAndVerifyClientCert`
  write('web.yaml', `tls_server_config: { ${tls} }`)
  write('b.yaml', `${tenant('acme').replace('env: ACME_TOKEN', `file: ${name}`)}\nserver: { webConfig: web.yaml }`)
  for (const [file, count] of [
    ['a.yaml', 3],
    ['b.yaml', 4],
    [name, 1],
  ] as const) {
    const load = () => loadSettings({ env: {}, catalogue: fakeCatalogue, cwd, file, purpose: 'serve' })
    expect([file, problemsOf(load)]).toEqual([file, Array(count).fill(expect.stringMatching(why))])
  }
})

it.each([
  ['nothing of the kind', '{}', 'it contains no PEM certificate'],
  ['half of one', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'it contains no PEM certificate'],
])('refuses a file of authorities that holds %s, where something is sent', (_, pem, why) => {
  const files = { 'a.yaml': `${tenant('acme')}\napi: { caFile: ca.pem }`, 'ca.pem': pem }
  expect(problemsOf(() => load(files, env, 'a.yaml'))).toEqual([
    expect.stringMatching(`^a.yaml:\\d+:\\d+: \`api.caFile\` names the file \`ca.pem\`: ${why}`),
  ])
})

const fromVariable = { env: 'TENANTWATCH_STORE_URL' }

it.each([
  ['{ url: { file: url.txt } }', '/data/a.db', '', 'TENANTWATCH_STORE_PATH', { path: null, url: { file: 'url.txt' } }],
  ['{}', '/data/a.db', 'postgres://u:p@h/d', 'TENANTWATCH_STORE_PATH', { path: null, url: fromVariable }],
  ['{ path: b.db }', '', 'postgres://u:p@h/d', 'store.path', { path: null, url: fromVariable }],
  ['{ path: b.db }', '/data/a.db', '', null, { path: '/data/a.db', url: null }],
])(
  'takes of the store %s, the path "%s" and the URL "%s" of variables one, and ignores %s',
  (store, path, url, ignored, taken) => {
    const files = { 'a.yaml': `${tenant('acme')}\nstore: ${store}`, 'url.txt': 'postgres://u:p@h/d' }
    const variables = { ...env, TENANTWATCH_STORE_PATH: path, TENANTWATCH_STORE_URL: url, TENANTWATCH_BASE_URL: 'x' }
    const names = [ignored, 'TENANTWATCH_BASE_URL'].filter((name) => name !== null).map((name) => ({ name }))
    expect(load(files, variables, 'a.yaml')).toMatchObject({ settings: { store: taken }, ignored: names })
  },
)

it('refuses a URL in the file, two places of the mirror, and a source that is not there', () => {
  const problems = (store: string, variables = env) =>
    problemsOf(() => load({ 'a.yaml': `${tenant('acme')}\nstore: ${store}` }, variables, 'a.yaml')).join('; ')
  expect(problems('{ url: postgres://u:hush@h/d }')).toMatch(/`store.url` .*; do not write the URL itself here$/)
  expect(problems('{ url: postgres://u:hush@h/d }')).not.toContain('hush')
  expect(problems('{ path: a.db, url: { env: TOKEN } }')).toMatch(/`store` names path and url; expected exactly one/)
  expect(problems('{ url: { env: NONE } }')).toMatch(/`store.url.env` names .*`NONE`, which is not set$/)
})

it('names what is wrong with the source of a proxy, not with a URL that nobody wrote', () => {
  const load = () => loadText(`${tenant('acme')}\napi: { proxy: { env: PROXY_URL } }`)
  expect(load).toThrow(/api\.proxy\.env` names the environment variable `PROXY_URL`, which is not set/)
})
