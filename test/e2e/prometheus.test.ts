import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { defaultPack } from '../../src/cli/pack.ts'
import { metricCatalogue } from '../../src/metrics/catalogue.ts'
import { dashboardIds } from '../../src/pack/dashboard-ids.ts'
import { dashboards } from '../../src/pack/dashboards/index.ts'
import { inventories } from '../../src/resources/inventories.ts'
import { type Simulator, startSimulator } from '../../src/simulator/index.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { daemon, type Place, placeFor, type RunningDaemon, until } from './support/program.ts'
import { hurried, type Prometheus, startAlertmanager, startPrometheus } from './support/prometheus.ts'

const day = 86_400_000
const resources = ['users', 'documents', 'api-clients', 'roles', 'permissions', 'authentication-settings']
const keys = ['users', 'usersSweep', 'documents', 'documentsSweep', ...resources.slice(2), 'evaluate']
const rules = readFileSync('config/prometheus/rules.yml', 'utf8')

interface World {
  readonly simulator: Simulator
  readonly place: Place
  readonly prometheus: Prometheus
  readonly daemon: RunningDaemon
}

/** A tenant where nothing is wrong, watched by a daemon in a hurry, scraped by the real Prometheus each second. */
async function world(alertmanager?: string): Promise<World> {
  const simulator = await startSimulator({ controlPort: null, sizes: { users: 12, documents: 6 } })
  onTestFinished(() => simulator.close())
  const { primary, credentials } = simulator
  for (const { userId } of [...primary.state.users()])
    primary.updateUser(userId, { state: 'Active', mfaStatus: true, mfaAction: false })
  primary.setSettings({ ssoEnabled: true, ssoEnforced: true, mfaEnabled: true })
  for (const { clientId } of [...primary.state.apiClients()])
    primary.updateApiClient(clientId, { secretExpirationDate: Date.now() + 200 * day })
  const folder = temporaryFolder()
  const more = `schedule: { ${keys.map((key) => `${key}: "*/2 * * * * *"`).join(', ')} }
freshness: { ${resources.map((name) => `${name}: 12s`).join(', ')} }
waivers:
  - { id: w1, check: user-role-active, entity: "*", tenant: acme, reason: accepted for this test alone, owner: tests, expires: ${new Date(Date.now() + 300 * day).toISOString().slice(0, 10)} }`
  const place = placeFor(simulator, folder, more)
  const config = `${folder}/tenantwatch.yaml`
  const text = readFileSync(config, 'utf8')
  writeFileSync(config, text.replace('    auth:', `    ownClientId: ${credentials.reader.clientId}\n    auth:`))
  const prometheus = await startPrometheus(folder, hurried(rules), alertmanager)
  const one = await daemon(place)
  prometheus.scrape(one.url)
  await until(async () => (await prometheus.query('tenantwatch_check_status{status="unknown"} == 0')).length > 15)
  return { simulator, place, prometheus, daemon: one }
}

const isFiring = async (prometheus: Prometheus, name: string, labels: Readonly<Record<string, string>> = {}) =>
  (await prometheus.alerts(name)).some(
    (alert) =>
      alert['alertstate'] === 'firing' && Object.entries(labels).every(([label, value]) => alert[label] === value),
  )

const fires = (prometheus: Prometheus, name: string, labels?: Readonly<Record<string, string>>) =>
  until(() => isFiring(prometheus, name, labels))

const ends = (prometheus: Prometheus, name: string) => until(async () => !(await isFiring(prometheus, name)))

/** Says that an alert was firing at every second since then. */
async function neverEnded(prometheus: Prometheus, name: string, from: number): Promise<void> {
  const [found] = await prometheus.since(`count(ALERTS{alertname="${name}",alertstate="firing"}) or vector(0)`, from)
  const values = found?.values ?? []
  expect(values.length).toBeGreaterThan(5)
  expect(values.filter(([, value]) => value === '0')).toEqual([])
}

it('exports every series that a rule or a panel names, and every panel of every dashboard shows something', async () => {
  const { prometheus } = await world()
  await until(async () => (await prometheus.query('tenant:tenantwatch_checks_passing:ratio')).length > 0)
  const names = new Set(
    (await prometheus.query('group by (__name__) ({job="tenantwatch"})')).map(({ metric }) => metric['__name__']),
  )
  const families = metricCatalogue(inventories).map(({ name, type }) =>
    type === 'histogram' ? `${name}_bucket` : name,
  )
  // One of them is there only while something cannot be judged.
  expect(families.filter((name) => !names.has(name))).toEqual(['tenantwatch_check_unknown_reason'])
  const pack = defaultPack()
  const panels = dashboardIds.flatMap((id) => dashboards[id](pack).rows.flatMap((row) => row.panels))
  expect(panels.length).toBeGreaterThan(40)
  await until(async () => (await prometheus.query('increase(tenantwatch_sync_runs_total[1m]) > 0')).length > 0)
  for (const { title, queries } of panels) {
    for (const { expr } of queries) {
      const asked = expr.replaceAll('$tenant', '.*').replaceAll('$__rate_interval', '1m')
      expect([title, (await prometheus.query(asked)).length > 0]).toEqual([title, true])
    }
  }
})

it('tells what changes in the tenant, and that it was mended', async () => {
  const folder = temporaryFolder()
  const alertmanager = await startAlertmanager(
    folder,
    readFileSync('config/stack/alertmanager.yml', 'utf8').replace('group_wait: 30s', 'group_wait: 1s'),
  )
  const { simulator, prometheus } = await world(alertmanager.address)
  const { primary } = simulator
  for (const quiet of [
    'TenantwatchMfaNotEnrolled',
    'TenantwatchSettingsDrift',
    'TenantwatchSecretExpired',
    'TenantwatchDown',
    'TenantwatchMetricsMissing',
    'TenantwatchSyncStale',
    'TenantwatchSyncNever',
  ])
    expect([quiet, await isFiring(prometheus, quiet)]).toEqual([quiet, false])

  const [user] = [...primary.state.users()]
  primary.updateUser(user?.userId ?? 0, { mfaStatus: false })
  primary.setSettings({ ssoEnforced: false })
  await until(async () =>
    (await prometheus.alerts('TenantwatchMfaNotEnrolled')).some((alert) => alert['alertstate'] === 'pending'),
  )
  await fires(prometheus, 'TenantwatchMfaNotEnrolled', { tenant: 'acme', severity: 'warning' })
  await fires(prometheus, 'TenantwatchSettingsDrift', { tenant: 'acme', severity: 'critical' })
  await fires(prometheus, 'TenantwatchSsoNotEnforced', { tenant: 'acme' })

  const [client] = [...primary.state.apiClients()]
  const clientId = client?.clientId ?? ''
  primary.updateApiClient(clientId, { secretExpirationDate: Date.now() + 20 * day })
  await fires(prometheus, 'TenantwatchSecretExpiryNear', { client_id: clientId })
  await until(async () =>
    (await alertmanager.alerts('TenantwatchSecretExpiryNear')).some(({ state }) => state === 'active'),
  )
  primary.updateApiClient(clientId, { secretExpirationDate: Date.now() + 20_000 })
  await fires(prometheus, 'TenantwatchSecretExpiryLastDay', { client_id: clientId })
  await fires(prometheus, 'TenantwatchSecretExpired', { client_id: clientId })
  await until(async () => {
    const rungs = ['TenantwatchSecretExpiryNear', 'TenantwatchSecretExpiryImminent', 'TenantwatchSecretExpiryLastDay']
    const states = (await Promise.all(rungs.map((name) => alertmanager.alerts(name)))).flat().map(({ state }) => state)
    return states.length === 3 && states.every((state) => state === 'suppressed')
  })
  expect((await alertmanager.alerts('TenantwatchSecretExpired')).map(({ state }) => state)).toEqual(['active'])

  primary.updateUser(user?.userId ?? 0, { mfaStatus: true })
  primary.setSettings({ ssoEnforced: true })
  primary.updateApiClient(clientId, { secretExpirationDate: Date.now() + 200 * day })
  for (const name of [
    'TenantwatchMfaNotEnrolled',
    'TenantwatchSettingsDrift',
    'TenantwatchSsoNotEnforced',
    'TenantwatchSecretExpired',
    'TenantwatchSecretExpiryLastDay',
    'TenantwatchSecretExpiryImminent',
    'TenantwatchSecretExpiryNear',
  ])
    await ends(prometheus, name)
  expect(await prometheus.query('tenantwatch_secret_rotations_total{tenant="acme"} > 0')).toHaveLength(1)
})

it('lets nothing look mended while the daemon is blind or dead', async () => {
  const { simulator, place, prometheus, daemon: first } = await world()
  const { primary, faults } = simulator
  const [user] = [...primary.state.users()]
  primary.updateUser(user?.userId ?? 0, { mfaStatus: false })
  const [client] = [...primary.state.apiClients()]
  primary.updateApiClient(client?.clientId ?? '', { secretExpirationDate: Date.now() + 20 * day })
  const open = ['TenantwatchMfaNotEnrolled', 'TenantwatchSecretExpiryNear']
  for (const name of open) await fires(prometheus, name)
  // From the next second on: the instant itself may lie before the evaluation that told it.
  const from = Math.ceil(Date.now() / 1000) + 1

  simulator.revokePermission('reader', 'Api_Users_Read')
  await fires(prometheus, 'TenantwatchAccessRefused', { resource: 'users', reason: 'missing_permission' })
  await fires(prometheus, 'TenantwatchSyncStale', { resource: 'users' })
  simulator.grantPermission('reader', 'Api_Users_Read')
  await ends(prometheus, 'TenantwatchSyncStale')

  const { id } = faults.add({ path: '/api/public/*', effect: { kind: 'reset', when: 'before' } })
  await fires(prometheus, 'TenantwatchSyncStale', { resource: 'documents' })
  await fires(prometheus, 'TenantwatchCheckUnknown', { check: 'user-invitation-accepted' })
  faults.remove(id)
  await ends(prometheus, 'TenantwatchSyncStale')

  simulator.revokeToken('reader')
  await fires(prometheus, 'TenantwatchAccessRefused', { reason: 'unauthorized' })
  await fires(prometheus, 'TenantwatchSyncStale', { resource: 'users' })
  simulator.restoreToken('reader')

  first.child.kill('SIGKILL')
  await first.ended
  await fires(prometheus, 'TenantwatchDown')
  await fires(prometheus, 'TenantwatchInstanceDown', { instance: 'a' })
  prometheus.scrape(null)
  await until(async () => (await prometheus.query('up')).length === 0)
  const second = await daemon(place)
  prometheus.scrape(second.url)
  await ends(prometheus, 'TenantwatchDown')
  for (const name of open) await neverEnded(prometheus, name, from)

  primary.updateUser(user?.userId ?? 0, { mfaStatus: true })
  await ends(prometheus, 'TenantwatchMfaNotEnrolled')
})
