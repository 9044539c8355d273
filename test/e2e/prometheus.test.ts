import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { defaultPack } from '../../src/cli/pack.ts'
import { metricCatalogue } from '../../src/metrics/catalogue.ts'
import { dashboardIds } from '../../src/pack/dashboard-ids.ts'
import { dashboards } from '../../src/pack/dashboards/index.ts'
import { inventories } from '../../src/resources/inventories.ts'
import { type Simulator, startSimulator } from '../../src/simulator/index.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { daemon, type Place, placeFor, program, type RunningDaemon, until } from './support/program.ts'
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
  const simulator = await startSimulator({ controlPort: null, problems: false, sizes: { users: 12, documents: 6 } })
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
  // At the very start it may look as if nobody answered yet.
  for (const quiet of [
    'TenantwatchMfaNotEnrolled',
    'TenantwatchSettingsDrift',
    'TenantwatchSecretExpired',
    'TenantwatchDown',
    'TenantwatchMetricsMissing',
    'TenantwatchSyncStale',
    'TenantwatchSyncNever',
  ])
    await ends(prometheus, quiet)

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

interface Mishap {
  readonly alert: string
  readonly spoil: (world: World) => unknown
  readonly mend: (world: World) => unknown
}

const isoDay = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10)
const waiverOf = (id: string, days: number) =>
  `  - { id: ${id}, check: user-role-active, entity: "*", tenant: acme, reason: accepted for this test alone, owner: tests, expires: ${isoDay(days)} }\n`

/** Writes the configuration anew and has the daemon take it up. */
function reconfigure({ place, daemon: one }: World, change: (text: string) => string): void {
  const file = `${place.folder}/tenantwatch.yaml`
  writeFileSync(file, change(readFileSync(file, 'utf8')))
  one.child.kill('SIGHUP')
}

function nth<T>(records: Iterable<T>, index: number): T {
  const found = [...records][index]
  if (found === undefined) throw new Error(`There is no record ${index}`)
  return found
}

/** What can go wrong in a tenant and with its watch, each for itself; the ones that need a death are above. */
function mishaps({ simulator }: World): readonly Mishap[] {
  const { primary, credentials, faults } = simulator
  const clients = [...primary.state.apiClients()].filter(({ clientId }) => clientId !== credentials.reader.clientId)
  const [strong, lost] = [nth(clients, 0), nth(clients, 1)]
  const role = nth(primary.state.roles(), 0)
  const user = nth(primary.state.users(), 3)
  let invited = 0
  let stuck = ''
  let fault = ''
  return [
    {
      alert: 'TenantwatchClientOverprivileged',
      spoil: () => primary.updateApiClient(strong.clientId, { roleName: 'User Provisioning' }),
      mend: () => primary.updateApiClient(strong.clientId, { roleName: 'Compliance Reader' }),
    },
    {
      alert: 'TenantwatchClientRoleBroken',
      spoil: () => primary.updateApiClient(lost.clientId, { roleName: 'Nobody knows this role' }),
      mend: () => primary.updateApiClient(lost.clientId, { roleName: 'Compliance Reader' }),
    },
    {
      alert: 'TenantwatchRolePermissionsDrift',
      spoil: () => primary.updateRole(role.roleId, { permissions: [] }),
      mend: () => primary.updateRole(role.roleId, { permissions: role.permissions.map(({ code }) => code) }),
    },
    {
      alert: 'TenantwatchInvitationStale',
      spoil: () => {
        invited = primary.addUser({ state: 'Invited', mfaStatus: true, createdAt: Date.now() - 40 * day }).userId
      },
      mend: () => primary.updateUser(invited, { state: 'Active' }),
    },
    {
      alert: 'TenantwatchDocumentStuck',
      spoil: () => {
        const createdAt = Date.now() - 3 * day
        stuck = primary.addDocument({ filename: 'stuck.pdf', uploadStatus: 'Processing', createdAt }).fileId
      },
      mend: () => primary.removeDocument(stuck),
    },
    {
      alert: 'TenantwatchOwnSecretExpires',
      spoil: () =>
        primary.updateApiClient(credentials.reader.clientId, { secretExpirationDate: Date.now() + 20 * day }),
      mend: () =>
        primary.updateApiClient(credentials.reader.clientId, { secretExpirationDate: Date.now() + 200 * day }),
    },
    {
      alert: 'TenantwatchQuarantine',
      spoil: () => primary.updateUser(user.userId, { raw: { mfaStatus: 'false' } }),
      mend: () => primary.updateUser(user.userId, { raw: { mfaStatus: true } }),
    },
    {
      alert: 'TenantwatchContractChanged',
      spoil: () => simulator.setReadings({ unknownFields: true }),
      mend: () => simulator.setReadings({ unknownFields: false }),
    },
    {
      alert: 'TenantwatchSyncFailing',
      spoil: () => {
        fault = faults.add({
          path: '/api/public/permissions',
          effect: { kind: 'status', status: 400, code: 'BAD_REQUEST' },
        }).id
      },
      mend: () => faults.remove(fault),
    },
  ]
}

it('shows every mishap pending, firing and mended', async () => {
  const one = await world()
  const { simulator, prometheus } = one
  for (const { clientId } of [...simulator.primary.state.apiClients()])
    simulator.primary.updateApiClient(clientId, { roleName: 'Compliance Reader' })
  const all = mishaps(one)
  for (const { alert } of all) await ends(prometheus, alert)
  for (const { spoil } of all) spoil(one)
  // They are waited for together: each takes the minute or less that its hour has become.
  const seen = await Promise.all(
    all.map(async ({ alert }) => {
      const states = await until(async () => {
        const found = (await prometheus.alerts(alert)).map((shown) => shown['alertstate'])
        return found.length > 0 && found
      })
      await fires(prometheus, alert)
      return [alert, states.length > 0]
    }),
  )
  expect(seen).toEqual(all.map(({ alert }) => [alert, true]))
  for (const { mend } of all) mend(one)
  await Promise.all(all.map(({ alert }) => ends(prometheus, alert)))
})

it('tells of a hold until somebody accepts it, of a bad reload until a good one, of a waiver until it is renewed', async () => {
  const one = await world()
  const { simulator, prometheus, place } = one
  simulator.primary.removeUsers(0.6)
  await fires(prometheus, 'TenantwatchHeld', { resource: 'users', reason: 'shrink_held' })
  reconfigure(one, (text) => `${text}nonsense: 1\n`)
  await fires(prometheus, 'TenantwatchConfigReloadFailed')
  reconfigure(one, (text) => text.replace('nonsense: 1\n', waiverOf('w2', 7)))
  await ends(prometheus, 'TenantwatchConfigReloadFailed')
  await fires(prometheus, 'TenantwatchWaiverEnds', { waiver: 'w2' })
  const [hold = ''] = (await program(place, 'accept').ended).stdout.split(/\s/)
  expect(await program(place, 'accept', hold, '--reason', 'They left the company').ended).toMatchObject({ code: 0 })
  await ends(prometheus, 'TenantwatchHeld')
  reconfigure(one, (text) => text.replace(waiverOf('w2', 7), waiverOf('w2', 200)))
  await ends(prometheus, 'TenantwatchWaiverEnds')
})
