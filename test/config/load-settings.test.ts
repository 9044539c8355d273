import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadSettings } from '../../src/config/load-settings.ts'
import { dayMs, hourMs, minuteMs } from '../../src/model/durations.ts'
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
  expect(problemsOf(() => load({}, variables))).toEqual([
    'environment: `TENANTWATCH_TOKEN_FILE` names the file `token.txt`, which does not exist',
  ])
})

it('names the variables when the environment is not enough', () => {
  expect(
    problemsOf(() => load({}, { TENANTWATCH_TOKEN: canary, TENANTWATCH_TOKEN_FILE: 'f', TENANTWATCH_LISTEN: 'x' })),
  ).toEqual([
    'environment: TENANTWATCH_TOKEN and TENANTWATCH_TOKEN_FILE are both set; expected exactly one',
    expect.stringMatching(/^environment: `TENANTWATCH_BASE_URL` is missing; expected an http\(s\) URL/),
    'environment: `TENANTWATCH_TOKEN_FILE` names the file `f`, which does not exist',
    expect.stringMatching(/^environment: `TENANTWATCH_LISTEN` is "x"; expected host:port/),
  ])
  expect(
    problemsOf(() => load({}, { TENANTWATCH_BASE_URL: 'https://api.example.com', TENANTWATCH_TOKEN: ' ' })),
  ).toEqual(['environment: neither TENANTWATCH_TOKEN nor TENANTWATCH_TOKEN_FILE is set; expected exactly one'])
})

it('names both ways when there is no configuration', () => {
  const [problem] = problemsOf(() => load({}, { TENANTWATCH_CONFIG: '', TENANTWATCH_BASE_URL: '' }))
  expect(problem).toContain('config/tenantwatch.yaml')
  expect(problem).toContain('TENANTWATCH_BASE_URL together with TENANTWATCH_TOKEN')
})

it('names the source of the path of an unreadable file', () => {
  expect(problemsOf(() => load({}, env, 'gone.yaml'))).toEqual([
    'Cannot read the configuration file gone.yaml, named by --config: no such file',
  ])
  expect(problemsOf(() => load({}, { TENANTWATCH_CONFIG: 'gone.yaml' }))).toEqual([
    'Cannot read the configuration file gone.yaml, named by TENANTWATCH_CONFIG: no such file',
  ])
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

it('applies every default', () => {
  const { settings } = loadText(tenant('acme'))
  const { tenants, ...rest } = settings
  expect(rest).toEqual({
    evaluate: { expression: '* * * * *', intervalMs: minuteMs },
    timezone: 'UTC',
    historyRetentionDays: 400,
    owners: [],
    store: { path: 'data/tenantwatch.db', url: null },
    server: {
      host: '127.0.0.1',
      port: 9469,
      webConfig: null,
      exposeDetails: 'auto',
      allowedHosts: [],
      externalUrl: null,
    },
    ownChecks: { folder: null, timeoutMs: 10_000, maxRows: 10_000, checks: [], incomplete: false },
    waivers: [],
    notifications: [],
    logLevel: 'info',
  })
  expect(tenants).toMatchObject([
    {
      name: 'acme',
      auth: { header: 'Authorization', scheme: 'Bearer', token: { env: 'ACME_TOKEN' } },
      ownClientId: null,
      api: {
        pageSizeParameter: null,
        pageSize: 200,
        timeoutMs: 30_000,
        maxPages: 100_000,
        maxBodyBytes: 8_388_608,
        requestsPerSecond: 10,
        allowInsecureHttp: false,
        proxy: null,
        caFile: null,
      },
      resources: {
        users: {
          enabled: true,
          incremental: { expression: '*/5 * * * *', intervalMs: 5 * minuteMs },
          full: { expression: '17 * * * *', intervalMs: hourMs },
          freshnessMs: null,
        },
        roles: { enabled: true, incremental: null, full: { expression: '*/30 * * * *', intervalMs: 30 * minuteMs } },
      },
      users: { knownStates: ['Active', 'Invited'] },
      userDetails: { perRun: 200, concurrency: 4 },
      documents: { overlapMs: hourMs, knownStatuses: ['Completed', 'Processing'] },
      removals: { maxPercent: 10, maxCount: 5, confirmPerRun: 1000 },
    },
  ])
  expect(tenants[0]?.checks['user-invitation-accepted']).toEqual({
    enabled: true,
    severity: null,
    options: { mediumDays: 14, highDays: 30 },
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

it('reads files, and refuses directories', () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'a.yaml'), tenant('acme').replace('env: ACME_TOKEN', 'file: .'))
  const options = { env: {}, catalogue: fakeCatalogue, cwd }
  expect(problemsOf(() => loadSettings({ ...options, file: 'a.yaml' }))).toEqual([
    'a.yaml:1:83: `tenants[0].auth.token.file` names the file `.`: it is a directory',
  ])
  expect(problemsOf(() => loadSettings({ ...options, file: '.' }))).toEqual([
    'Cannot read the configuration file ., named by --config: it is a directory',
  ])
})

it.each([
  ['a pipe', 'pipe', 'it is not a regular file'],
  ['a device', '/dev/zero', 'it is not a regular file'],
  ['a directory', 'folder', 'it is a directory'],
  ['a huge file', 'huge', /it is larger than (64|4096) KiB/],
])('waits for no %s, wherever the configuration names it', (_, name, why) => {
  const cwd = temporaryFolder()
  execFileSync('mkfifo', [join(cwd, 'pipe')])
  mkdirSync(join(cwd, 'folder'))
  writeFileSync(join(cwd, 'huge'), Buffer.alloc(4 * 2 ** 20 + 1))
  const auth = `auth: { token: { oauth2: { tokenUrl: "https://x.example.com", clientId: c, clientSecret: { file: ${name} } } } }`
  writeFileSync(
    join(cwd, 'a.yaml'),
    `tenants: [{ name: a, baseUrl: "https://x.example.com", ${auth} }]
api: { caFile: ${name} }
server: { webConfig: ${name} }`,
  )
  writeFileSync(
    join(cwd, 'web.yaml'),
    `tls_server_config: { cert_file: ${name}, key_file: ${name}, client_ca_file: ${name}, client_auth_type: RequireAndVerifyClientCert }`,
  )
  writeFileSync(
    join(cwd, 'b.yaml'),
    `${tenant('acme').replace('env: ACME_TOKEN', `file: ${name}`)}\nserver: { webConfig: web.yaml }`,
  )
  const problems = (file: string) =>
    problemsOf(() => loadSettings({ env: {}, catalogue: fakeCatalogue, cwd, file, checkWeb: true }))
  for (const [file, count] of [
    ['a.yaml', 3],
    ['b.yaml', 4],
    [name, 1],
  ] as const) {
    expect([file, problems(file)]).toEqual([file, Array(count).fill(expect.stringMatching(why))])
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

it('takes the URL of a database from a secret, and from the environment before the file', () => {
  const file = `${tenant('acme')}\nstore: { url: { file: url.txt } }`
  const files = { 'a.yaml': file, 'url.txt': 'postgres://u:p@h/d' }
  expect(load(files, env, 'a.yaml').settings.store).toEqual({ path: null, url: { file: 'url.txt' } })
  const variables = { ...env, TENANTWATCH_STORE_URL: 'postgres://u:p@h/d' }
  for (const loaded of [loadText(tenant('acme'), variables), load(files, variables, 'a.yaml')])
    expect(loaded).toMatchObject({
      settings: { store: { path: null, url: { env: 'TENANTWATCH_STORE_URL' } } },
      ignoredPath: null,
    })
})

it('ignores a path beside a URL, and names it', () => {
  const withPath = { ...env, TENANTWATCH_STORE_PATH: '/data/a.db' }
  const withBoth = { ...withPath, TENANTWATCH_STORE_URL: 'postgres://u:p@h/d' }
  const inFile = { 'a.yaml': `${tenant('acme')}\nstore: { url: { file: url.txt } }`, 'url.txt': 'postgres://u:p@h/d' }
  const fromFile = { path: null, url: { file: 'url.txt' } }
  expect(load(inFile, withPath, 'a.yaml')).toMatchObject({
    settings: { store: fromFile },
    ignoredPath: 'TENANTWATCH_STORE_PATH',
  })
  const fromVariable = { path: null, url: { env: 'TENANTWATCH_STORE_URL' } }
  expect(loadText(tenant('acme'), withBoth)).toMatchObject({
    settings: { store: fromVariable },
    ignoredPath: 'TENANTWATCH_STORE_PATH',
  })
  const path = `${tenant('acme')}\nstore: { path: b.db }`
  expect(loadText(path, { ...withBoth, TENANTWATCH_STORE_PATH: '' })).toMatchObject({
    settings: { store: fromVariable },
    ignoredPath: 'store.path',
  })
  expect(loadText(path, withPath)).toMatchObject({
    settings: { store: { path: '/data/a.db', url: null } },
    ignoredPath: null,
  })
})

it('refuses a URL in the file, two places of the mirror, and a source that is not there', () => {
  const problems = (store: string, variables = env) =>
    problemsOf(() => load({ 'a.yaml': `${tenant('acme')}\nstore: ${store}` }, variables, 'a.yaml')).join('; ')
  expect(problems('{ url: postgres://u:hush@h/d }')).toMatch(/`store.url` .*; do not write the URL itself here$/)
  expect(problems('{ url: postgres://u:hush@h/d }')).not.toContain('hush')
  expect(problems('{ path: a.db, url: { env: TOKEN } }')).toMatch(/`store` names path and url; expected exactly one/)
  expect(problems('{ url: { env: NONE } }')).toMatch(/`store.url.env` names .*`NONE`, which is not set$/)
})

it('shares the general settings among tenants that override none of them', () => {
  const auth = { token: { env: 'ACME_TOKEN' } }
  const tenants = ['a', 'b', 'c'].map((name) => ({ name, baseUrl: `https://${name}.example.com`, auth }))
  const written = { tenants: tenants.map((one) => (one.name === 'c' ? { ...one, freshness: { roles: '3d' } } : one)) }
  const [a, b, c] = load({ 'config/tenantwatch.yaml': JSON.stringify(written) }).settings.tenants
  expect([a?.checks === b?.checks, a?.resources === b?.resources, a?.api === b?.api]).toEqual([true, true, true])
  expect([a?.resources.roles.freshnessMs, c?.resources.roles.freshnessMs]).toEqual([null, 3 * dayMs])
})

it('names what is wrong with the source of a proxy, not with a URL that nobody wrote', () => {
  const load = () => loadText(`${tenant('acme')}\napi: { proxy: { env: PROXY_URL } }`)
  expect(load).toThrow(/api\.proxy\.env` names the environment variable `PROXY_URL`, which is not set/)
})
