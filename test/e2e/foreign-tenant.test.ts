import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'
import {
  client,
  document,
  envelopeOf,
  type Fields,
  ForeignTenant,
  guid,
  inDays,
  smallTenant,
  type TenantData,
  user,
} from './support/foreign-tenant.ts'
import { type Ended, program } from './support/program.ts'

interface Finding {
  readonly check: string
  readonly entity: { readonly type: string; readonly id: string }
  readonly state: 'open' | 'waived' | 'resolved'
  readonly resolution: string | null
}

interface Scene {
  readonly tenant: ForeignTenant
  readonly folder: string
  /** Runs `sync --full` once. */
  sync(): Promise<Ended>
  command(...args: readonly string[]): Promise<Ended>
  /** `check entity-id` of every finding that is open. */
  open(): Promise<readonly string[]>
  /** The findings that ended, as `check entity-id resolution`. */
  ended(): Promise<readonly string[]>
  status(check: string): Promise<string>
  exported(resource: string): Promise<readonly Fields[]>
}

/** The built program beside a tenant that it has synced once with success. */
async function scene(data: TenantData = smallTenant(), more = ''): Promise<Scene> {
  const tenant = await new ForeignTenant(data).start()
  onTestFinished(() => tenant[Symbol.asyncDispose]())
  const folder = temporaryFolder()
  writeFileSync(
    join(folder, 'tenantwatch.yaml'),
    `tenants:
  - name: acme
    baseUrl: ${tenant.baseUrl}
    auth: { token: { env: ACME_TOKEN } }
api: { requestsPerSecond: 0 }
store: { path: mirror.db }
${more}
`,
  )
  const place = { folder, env: { ACME_TOKEN: 'a-token', TENANTWATCH_CONFIG: 'tenantwatch.yaml' } }
  const command = (...args: readonly string[]) => program(place, ...args).ended
  const json = async (...args: readonly string[]) => JSON.parse((await command(...args)).stdout) as unknown
  const findings = async () => (await json('findings', '--all', '--format', 'json')) as readonly Finding[]
  const made: Scene = {
    tenant,
    folder,
    command,
    sync: () => command('sync', '--full'),
    open: async () =>
      (await findings())
        .filter(({ state }) => state !== 'resolved')
        .map(({ check, entity }) => `${check} ${entity.id}`),
    ended: async () =>
      (await findings())
        .filter(({ state }) => state === 'resolved')
        .map(({ check, entity, resolution }) => `${check} ${entity.id} ${resolution}`),
    async status(check) {
      const { stdout } = await command('metrics')
      const shown = new RegExp(`tenantwatch_check_status\\{[^}]*check="${check}"[^}]*status="(\\w+)"[^}]*\\} 1\\b`)
      return shown.exec(stdout)?.[1] ?? 'absent'
    },
    exported: async (resource) => (await json('export', resource, '--format', 'json')) as readonly Fields[],
  }
  const first = await made.sync()
  expect(first.code, first.stderr).toBe(0)
  return made
}

const expired = `api-client-secret-not-expired ${guid(6)}`
const powerful = `api-client-least-privilege ${guid(4)}`
const unenrolled = 'user-mfa-enrolled 2'

/** Nothing that failed before may have ended, and none of its checks may pass. */
async function expectStillFailing({ open, ended, status }: Scene, ...findings: readonly string[]): Promise<void> {
  expect(await ended()).toEqual([])
  expect(await open()).toEqual(expect.arrayContaining([...findings]))
  for (const finding of findings) expect(await status(finding.split(' ')[0] ?? '')).not.toBe('pass')
}

function dates(from: TenantData, change: (timestamp: unknown) => unknown) {
  return (tenant: ForeignTenant) => {
    tenant.data = from
    tenant.tamper = (_, reply) => {
      const { meta } = envelopeOf(reply)
      meta['timestamp'] = change(meta['timestamp'])
      return reply
    }
  }
}

/** The same tenant with nothing out of order. */
function green(): TenantData {
  const data = smallTenant()
  data.users = data.users.map((one) => ({ ...one, mfaStatus: true }))
  data.clients = data.clients.map((one) => ({ ...one, roleName: 'Reader', secretExpirationDate: inDays(200) }))
  data.documents = data.documents.map((one) => ({ ...one, uploadStatus: 'Completed' }))
  return data
}

/** Another tenant: its own clients and documents, and of our users as many as it shares. */
function foreignData(shared: number): TenantData {
  const data = green()
  data.clients = [client(71), client(72)]
  data.documents = [document(71)]
  data.users = [
    ...smallTenant()
      .users.slice(0, shared)
      .map((one) => ({ ...one, mfaStatus: true })),
    user(71),
    user(72),
  ]
  return data
}

it('finds the problems of a new tenant, page by page', async () => {
  const shown = await scene()
  expect(await shown.open()).toEqual(
    expect.arrayContaining([expired, powerful, unenrolled, `document-processing-finished ${guid(1004)}`]),
  )
  expect(await shown.status('auth-mfa-policy-enabled')).toBe('pass')
  expect(await shown.exported('users')).toHaveLength(6)
  expect(await shown.exported('api-clients')).toHaveLength(6)
  expect(await shown.exported('documents')).toHaveLength(4)
})

it.each([1, 3, 6])('writes nothing of another tenant that shares %i users', async (shared) => {
  const shown = await scene()
  const before = await shown.exported('users')
  shown.tenant.data = foreignData(shared)
  for (let run = 0; run < 3; run++) expect((await shown.sync()).code).toBe(3)
  await expectStillFailing(shown, expired, powerful, unenrolled)
  expect(await shown.exported('users')).toEqual(before)
  const { stdout } = await shown.command('accept')
  expect(stdout).toContain('tenant_changed')
  expect((await shown.command('metrics')).stdout).toMatch(/tenantwatch_tenant_identity\{[^}]*state="held"[^}]*\} 1\b/)
})

// Pages of lists are not read twice (docs/reliability.md).
it('believes no whole answer where a balancer sends every second request for it to another tenant', async () => {
  const shown = await scene()
  const settings = await shown.exported('authentication-settings')
  const foreign = new ForeignTenant({ ...foreignData(6), settings: { ...smallTenant().settings, ssoEnforced: false } })
  const turns = new Map<string, number>()
  shown.tenant.tamper = (asked) => {
    if (!/^\/(authentication-settings|roles|permissions)$/.test(asked.path)) return undefined
    const turn = turns.get(asked.path) ?? 0
    turns.set(asked.path, turn + 1)
    return turn % 2 === 0 ? undefined : foreign.answer(asked)
  }
  for (let run = 0; run < 3; run++) await shown.sync()
  expect(await shown.ended()).toEqual([])
  expect(await shown.exported('authentication-settings')).toEqual(settings)
})

it('believes no cache that replays answers of three days ago', async () => {
  const shown = await scene()
  shown.tenant.data = green()
  const meta = { requestId: guid(9), timestamp: inDays(-3) }
  shown.tenant.tamper = (_, reply) => {
    envelopeOf(reply).meta = { ...meta }
    return reply
  }
  for (let run = 0; run < 3; run++) expect((await shown.sync()).code).toBe(3)
  await expectStillFailing(shown, expired, powerful, unenrolled)
})

// One id with advancing time is no replay, so these runs succeed; what they bring proves nothing all the same.
it('turns nothing green by answers whose time advances three days behind', async () => {
  const shown = await scene()
  shown.tenant.data = green()
  shown.tenant.tamper = (_, reply) => {
    envelopeOf(reply).meta = { requestId: guid(9), timestamp: inDays(-3) }
    return reply
  }
  for (let run = 0; run < 3; run++) await shown.sync()
  await expectStillFailing(shown, expired, powerful, unenrolled)
})

it('reports a replayed answer as stale', async () => {
  const shown = await scene()
  shown.tenant.tamper = (_, reply) => ({ ...reply, headers: { age: '4000' } })
  const { code, stdout, stderr } = await shown.sync()
  expect(code).toBe(3)
  expect(stdout + stderr).toContain('stale_answer')
})

it.each([
  ['a word', () => 'noon'],
  ['a number', () => 1_790_000_000],
  ['nothing', () => undefined],
  ['a local format', () => '11/22/2026 10:00 AM'],
])('lets no time-based check pass by a server time that is %s', async (_, change) => {
  const shown = await scene()
  dates(green(), change)(shown.tenant)
  await shown.sync()
  await shown.sync()
  expect(await shown.status('api-client-secret-not-expired')).not.toBe('pass')
  expect(await shown.ended()).not.toContain(`${expired} fixed`)
})

it('holds a list of six clients that shrinks to one', async () => {
  const shown = await scene()
  shown.tenant.data.clients = [client(1)]
  for (let run = 0; run < 3; run++) await shown.sync()
  await expectStillFailing(shown, expired, powerful)
  expect((await shown.command('accept')).stdout).toContain('shrink_held')
})

it('holds a list that bleeds one client at a time until the failing ones are gone', async () => {
  const shown = await scene()
  for (let left = 5; left >= 1; left--) {
    shown.tenant.data.clients = smallTenant().clients.slice(0, left)
    await shown.sync()
    await shown.sync()
  }
  expect((await shown.command('accept')).stdout).toContain('shrink_held')
  expect((await shown.exported('api-clients')).length).toBeGreaterThanOrEqual(3)
})

it('turns no check green by roles that grant nothing any more', async () => {
  const shown = await scene()
  for (const role of shown.tenant.data.roles) role['permissions'] = []
  for (let run = 0; run < 2; run++) await shown.sync()
  await expectStillFailing(shown, powerful)
})

it('turns no check green by dates of the year 9999', async () => {
  const data = smallTenant()
  data.users.push(user(7, { state: 'Invited', createdAt: inDays(-40), mfaStatus: true }))
  const shown = await scene(data)
  const far = '9999-12-31T23:59:59Z'
  data.users[6] = user(7, { state: 'Invited', createdAt: far, mfaStatus: true })
  data.documents = data.documents.map((one) => ({ ...one, updatedAt: far }))
  for (let run = 0; run < 2; run++) await shown.sync()
  await expectStillFailing(shown, 'user-invitation-accepted 7', `document-processing-finished ${guid(1004)}`)
  expect(await shown.status('document-current')).not.toBe('pass')
})

it.each([[7], [['saml']], [{ name: 'saml' }], [true]])('does not read the provider type %j as none', async (wrong) => {
  const shown = await scene()
  shown.tenant.data.settings['providerType'] = wrong
  await shown.sync()
  expect(await shown.status('auth-settings-unchanged')).toBe('unknown')
  expect((await shown.command('history')).stdout).not.toContain('providerType')
})

it('stores no secret and no content of fields that nobody described', async () => {
  const data = smallTenant()
  const canaries = [
    'canary-plain-secret',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlY2FuYXJ5',
    'https://files.example.com/canary?sig=1',
    'c0ffee00c0ffee00c0ffee00c0ffee00canary',
  ] as const
  const [plain, jwt, url] = canaries
  Object.assign(data.clients[0] ?? {}, { clientSecret: plain, nested: { deep: [{ accessToken: jwt }] } })
  Object.assign(data.documents[0] ?? {}, { content: plain, link: url, downloadUrl: url })
  Object.assign(data.users[0] ?? {}, { note: jwt, 'victim@example.org': 1 })
  // Quarantined, with the secret in its raw record.
  data.clients.push(client(7, { secretExpirationDate: 'never', apiKey: plain }))
  const shown = await scene(data)
  const { stderr } = await shown.sync()
  const observed = [stderr, (await shown.command('metrics')).stdout]
  for (const resource of ['users', 'documents', 'api-clients'])
    observed.push(JSON.stringify(await shown.exported(resource)))
  for (const name of readdirSync(shown.folder).filter((one) => one.startsWith('mirror.db'))) {
    observed.push(readFileSync(join(shown.folder, name), 'latin1'))
  }
  for (const canary of canaries) for (const text of observed) expect(text.includes(canary)).toBe(false)
  expect(stderr).not.toContain('victim@example.org')
})

it('removes no client of an announced page that comes back empty', async () => {
  const shown = await scene()
  shown.tenant.tamper = ({ path, cursor }, reply) => {
    if (path !== '/api-clients' || cursor === null) return undefined
    const envelope = envelopeOf(reply)
    envelope.data = []
    envelope.pagination = { nextCursor: null, hasMore: false }
    return reply
  }
  for (let run = 0; run < 2; run++) expect((await shown.sync()).code).toBe(3)
  await expectStillFailing(shown, expired, powerful)
  expect((await shown.command('accept')).stdout).toContain('suspect_empty')
})

it.each(['first', 'last'])('believes neither of two clients of one id, the failing one coming %s', async (place) => {
  const shown = await scene()
  const failing = client(6, { secretExpirationDate: inDays(-1) })
  const twice = [failing, client(6)]
  if (place === 'last') twice.reverse()
  shown.tenant.data.clients = [...smallTenant().clients.slice(0, 5), ...twice]
  for (let run = 0; run < 2; run++) await shown.sync()
  await expectStillFailing(shown, expired)
})

it.each(['first', 'last'])('believes neither of two roles of one id, the granting one coming %s', async (place) => {
  const shown = await scene()
  const { roles } = smallTenant()
  const twice = [...roles.slice(2), ...roles.slice(2).map((role) => ({ ...role, permissions: [] }))]
  if (place === 'last') twice.reverse()
  shown.tenant.data.roles = [...roles.slice(0, 2), ...twice]
  for (let run = 0; run < 2; run++) await shown.sync()
  await expectStillFailing(shown, powerful)
})

it('removes no document of a page that comes back empty, as long as it is there to be asked for', async () => {
  const shown = await scene()
  shown.tenant.tamper = ({ path, cursor }, reply) => {
    if (path !== '/documents' || cursor === null) return undefined
    envelopeOf(reply).data = []
    return reply
  }
  for (let run = 0; run < 4; run++) await shown.sync()
  expect(await shown.exported('documents')).toHaveLength(4)
  await expectStillFailing(shown, `document-processing-finished ${guid(1004)}`)
})

it('removes a document that is gone once nothing shows it any more', async () => {
  const shown = await scene()
  shown.tenant.data.documents = shown.tenant.data.documents.slice(0, 3)
  for (let run = 0; run < 3; run++) expect((await shown.sync()).code).toBe(0)
  expect(await shown.exported('documents')).toHaveLength(3)
  expect(await shown.ended()).toEqual([`document-processing-finished ${guid(1004)} entity_removed`])
})

it('waives nothing for another person who was given the id', async () => {
  const waiver = `waivers:
  - { id: leave, check: user-mfa-enrolled, entity: "2", tenant: acme, reason: "On parental leave until spring", owner: it, expires: ${inDays(90).slice(0, 10)} }`
  const shown = await scene(smallTenant(), waiver)
  const waived = async () =>
    (JSON.parse((await shown.command('findings', '--all', '--format', 'json')).stdout) as readonly Finding[])
      .filter(({ check, entity, state }) => check === 'user-mfa-enrolled' && entity.id === '2' && state !== 'resolved')
      .map(({ state }) => state)
  expect(await waived()).toEqual(['waived'])
  shown.tenant.data.users[1] = user(2, {
    mfaStatus: false,
    firstName: 'Eve',
    email: 'eve@example.com',
    createdAt: inDays(-1),
  })
  await shown.sync()
  await shown.sync()
  expect(await waived()).toEqual(['open'])
})

it('ignores a detail answer that lags behind the list', async () => {
  const shown = await scene()
  shown.tenant.tamper = ({ path }, reply) => {
    if (!/^\/users\/\d+$/.test(path)) return undefined
    Object.assign(envelopeOf(reply).data as Fields, { mfaStatus: true })
    return reply
  }
  for (let run = 0; run < 2; run++) await shown.sync()
  await expectStillFailing(shown, unenrolled)
})

it('keeps a wait of two hours', async () => {
  const shown = await scene()
  shown.tenant.tamper = ({ path }, reply) =>
    path === '/users' ? { ...reply, status: 429, headers: { 'retry-after': '7200' } } : undefined
  expect((await shown.sync()).code).toBe(3)
  shown.tenant.tamper = () => undefined
  const { stderr } = await shown.sync()
  const until = /no requests until ([-0-9TZ:.]+)/.exec(stderr)?.[1] ?? ''
  expect(Date.parse(until) - Date.now()).toBeGreaterThan(7_000_000)
})
