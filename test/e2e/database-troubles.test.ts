import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { scheduleLine } from '../support/schedule.ts'
import { smallDisk } from './disk/support/tmpfs.ts'
import { canInject } from './disk/support/traced.ts'
import { mirrorDifferences } from './support/mirror-differences.ts'
import { postgresServer } from './support/postgres-server.ts'
import { daemon, type RunningDaemon, until } from './support/program.ts'
import { exported, replicaPlaces, sharedBy, startTenants, type Tenants } from './support/replicas.ts'
import { tcpProxy } from './support/tcp-proxy.ts'

const resources = ['users', 'documents', 'api-clients', 'roles', 'permissions', 'authentication-settings']
const freshMs = 20_000
const more = `${scheduleLine('*/3 * * * * *')}
freshness: { ${resources.map((name) => `${name}: ${freshMs / 1000}s`).join(', ')} }
`
const sizes = { users: 30, documents: 8 }

interface ShownCheck {
  readonly tenant: string
  readonly check: string
  readonly status: string
}

async function checksOf(replica: RunningDaemon): Promise<readonly ShownCheck[]> {
  return JSON.parse((await replica.get('/api/v1/checks')).text) as ShownCheck[]
}

/** Checks that pass, of all tenants. */
async function passing(replica: RunningDaemon): Promise<readonly string[]> {
  const shown = await checksOf(replica)
  return shown.filter(({ status }) => status === 'pass').map(({ tenant, check }) => `${tenant} ${check}`)
}

const isEqual = async (...parts: Parameters<typeof mirrorDifferences>) =>
  (await mirrorDifferences(...parts)).length === 0

/** Resolves when every check of every tenant has a result. */
function evaluated(replica: RunningDaemon): Promise<boolean> {
  return until(async () => {
    const shown = await checksOf(replica)
    return shown.length > 30 && shown.every(({ status }) => status !== 'unknown')
  })
}

/** A tenant in which the settings are as they should be. */
function secureSettings(tenants: Tenants, secure: boolean): void {
  for (const { primary } of tenants.values())
    primary.setSettings({ ssoEnabled: true, ssoEnforced: secure, mfaEnabled: true })
}

/** More than fits into the pages that a table has. */
function grow(tenants: Tenants): void {
  for (const { primary } of tenants.values())
    for (let n = 0; n < 1000; n++)
      primary.addUser({ lastName: `Of the time without room ${n} `.repeat(8), mfaStatus: true })
}

it.runIf(canInject).each(['tables', 'log of changes'])(
  'stays up while the disk of the database’s %s is full, shows no false green, and heals when there is room',
  async (what) => {
    const tenants = await startTenants(3, sizes)
    secureSettings(tenants, true)
    const disk = smallDisk(96 * 1024)
    const folders = what === 'tables' ? { folder: disk.folder } : { walFolder: disk.folder }
    const server = await postgresServer({ ...folders, settings: ['max_wal_size=32MB', 'min_wal_size=2MB'] })
    const replica = await daemon(replicaPlaces(tenants, more)(server.port))
    await evaluated(replica)
    expect(await passing(replica)).toContain('t1 auth-sso-enforced')
    await until(() => isEqual(server, tenants))

    disk.fill()
    grow(tenants)
    secureSettings(tenants, false)
    // The server ends when it cannot write its log of changes.
    await until(() => /The database server (has no room left \(53100\)|cannot be reached)/.test(replica.stderr))
    expect((await replica.get('/healthz')).status).toBe(200)
    await delay(freshMs + 10_000)
    for (let look = 0; look < 10; look++) {
      const { status, text } = await replica.get('/metrics')
      expect(status).toBe(200)
      expect(text).not.toMatch(
        /^tenantwatch_check_status\{tenant="[^"]+",check="(user-|auth-sso)[^"]*",status="pass"\} 1$/m,
      )
      await delay(500)
    }
    expect(replica.stderr).not.toMatch(/"stack"|"level":50/)

    disk.free()
    if (!(await isAnswering(server))) server.start()
    await until(() => isEqual(server, tenants))
    await evaluated(replica)
    expect(await passing(replica)).not.toContain('t1 auth-sso-enforced')
    expect(replica.child.exitCode).toBe(null)
  },
)

function isAnswering(server: { query(text: string): Promise<unknown> }): Promise<boolean> {
  return server.query('select 1').then(
    () => true,
    () => false,
  )
}

it('follows a failover to a standby that had not received the last commits, and waits while it is read-only', async () => {
  const tenants = await startTenants(6, sizes)
  const primary = await postgresServer({ settings: ['wal_keep_size=64MB'] })
  const replication = await tcpProxy(primary.port)
  const standby = await primary.standby(replication.port)
  const way = await tcpProxy(primary.port)
  const place = replicaPlaces(tenants, more)(way.port)
  const [a, b] = [await daemon(place), await daemon(place)]
  const shared = () => sharedBy(tenants.keys(), a, b)
  await shared()
  await until(() => isEqual(standby, tenants))
  const counts = async (server: typeof primary) =>
    (
      await server.query<{ runs: number; changes: number; users: number }>(
        `select (select count(*)::int from runs) as runs, (select count(*)::int from events where kind like 'record.%') as changes,
         (select count(*)::int from records where resource = 'users') as users`,
      )
    )[0]

  replication.silence()
  await delay(3000)
  const received = await counts(standby)
  for (const { primary: tenant } of tenants.values()) {
    const [gone, renamed] = [...tenant.state.users()].filter(({ state, mfaStatus }) => state === 'Active' && mfaStatus)
    tenant.removeUser(gone?.userId ?? 0)
    tenant.updateUser(renamed?.userId ?? 0, { lastName: 'Renamed before the failover' })
    for (let n = 0; n < 5; n++) tenant.addUser({ state: 'Active', mfaStatus: false })
  }
  await until(() => isEqual(primary, tenants))
  const lost = await counts(primary)
  expect(lost?.changes).toBeGreaterThan(received?.changes ?? 0)
  await primary.kill()
  await replication.refuse()

  way.lead(standby.port)
  await until(async () => (await Promise.all([a, b].map(exported))).flat().length === 0)
  await until(() => [a, b].every(({ stderr }) => /The database is read-only \(25006\)/.test(stderr)))
  for (const one of [a, b]) {
    expect((await one.get('/healthz')).status).toBe(200)
    expect((await one.get('/readyz')).status).toBe(503)
    // Once its heartbeats of the former server have expired.
    await until(async () => (await one.get('/api/v1/status')).status === 200)
  }
  expect((await counts(standby))?.changes).toBe(received?.changes)

  standby.promote()
  await shared()
  await until(() => isEqual(standby, tenants))
  for (const one of [a, b]) {
    await until(async () => (await one.get('/readyz')).status === 200)
    expect(one.stderr).not.toMatch(/"stack"|"level":50/)
  }
  await until(async () => {
    const findings = await standby.query<{ tenant: string; entity_id: string }>(
      `select tenant, entity_id from tenantwatch_findings where "check" = 'user-mfa-enrolled' and state = 'open'`,
    )
    const found = new Set(findings.map((finding) => `${finding.tenant} ${finding.entity_id}`))
    const wanted = [...tenants].flatMap(
      ([
        name,
        {
          primary: { state },
        },
      ]) => [...state.users()].flatMap((user) => (user.mfaStatus === false ? [`${name} ${user.userId}`] : [])),
    )
    return found.size === wanted.length && wanted.every((one) => found.has(one))
  })
})
