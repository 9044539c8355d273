import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { scheduleLine } from '../support/schedule.ts'
import { mirrorDifferences } from './support/mirror-differences.ts'
import { postgresServer } from './support/postgres-server.ts'
import { daemon, until } from './support/program.ts'
import { exported, replicaPlaces, sharedBy, startTenants } from './support/replicas.ts'
import { tcpProxy } from './support/tcp-proxy.ts'

const sizes = { users: 30, documents: 8 }

const isEqual = async (...parts: Parameters<typeof mirrorDifferences>) =>
  (await mirrorDifferences(...parts)).length === 0

it('follows a failover to a standby that had not received the last commits, and waits while it is read-only', async () => {
  const tenants = await startTenants(6, sizes)
  const primary = await postgresServer({ settings: ['wal_keep_size=64MB'] })
  const replication = await tcpProxy(primary.port)
  const standby = await primary.standby(replication.port)
  const way = await tcpProxy(primary.port)
  const place = replicaPlaces(tenants, scheduleLine('*/3 * * * * *'))(way.port)
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
