import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { board } from '../monitoring/support/shipped.ts'
import { listening } from '../support/listening.ts'
import { scheduleLine } from '../support/schedule.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { daemon, placeFor, simulate, until } from './support/program.ts'
import {
  hurried,
  type Prometheus,
  type PrometheusOptions,
  startAlertmanager,
  startPrometheus,
} from './support/prometheus.ts'

const day = 86_400_000
const resources = ['users', 'documents', 'api-clients', 'roles', 'permissions', 'authentication-settings']

/** A tenant where nothing is wrong, watched by a daemon in a hurry, scraped by the real Prometheus each second. */
async function world(options: PrometheusOptions = {}) {
  const sizes = { users: 12, documents: 6 }
  const simulator = await simulate({ problems: false, sizes })
  const { primary } = simulator
  for (const { userId } of [...primary.users.all()])
    primary.users.update(userId, { state: 'Active', mfaStatus: true, mfaAction: false })
  primary['authentication-settings'].update(0, { ssoEnabled: true, ssoEnforced: true, mfaEnabled: true })
  for (const { clientId } of [...primary['api-clients'].all()])
    primary['api-clients'].update(clientId, { secretExpirationDate: Date.now() + 200 * day })
  const folder = temporaryFolder()
  const rhythm = `${scheduleLine('*/2 * * * * *')}
freshness: { ${resources.map((name) => `${name}: 12s`).join(', ')} }
`
  const place = placeFor(simulator, folder, rhythm)
  const rules = hurried(readFileSync('config/prometheus/rules.yml', 'utf8'))
  const prometheus = await startPrometheus(folder, rules, options)
  const one = await daemon(place)
  prometheus.scrape(one.url)
  await until(
    async () => (await prometheus.query('tenantwatch_check_status{tenant="acme",status="unknown"} == 0')).length > 15,
  )
  return { simulator, place, prometheus, daemon: one }
}

const isFiring = async (prometheus: Prometheus, name: string, labels: Readonly<Record<string, string>> = {}) =>
  (await prometheus.alerts(name)).some(
    (alert) =>
      alert['alertstate'] === 'firing' && Object.entries(labels).every(([label, value]) => alert[label] === value),
  )

async function fires(prometheus: Prometheus, name: string, labels?: Readonly<Record<string, string>>): Promise<void> {
  await until(() => isFiring(prometheus, name, labels))
}

async function ends(prometheus: Prometheus, name: string): Promise<void> {
  await until(async () => !(await isFiring(prometheus, name)))
}

/** Asserts that an alert was firing at every second since then. */
async function neverEnded(prometheus: Prometheus, name: string, from: number): Promise<void> {
  const [found] = await prometheus.since(`count(ALERTS{alertname="${name}",alertstate="firing"}) or vector(0)`, from)
  const values = found?.values ?? []
  expect(values.length).toBeGreaterThan(5)
  expect(values.filter(([, value]) => value === '0')).toEqual([])
}

const asked = (expr: string) => expr.replaceAll('$tenant', '.*').replaceAll('$__rate_interval', '1m')

it('alerts on changes in the tenant, and resolves when they are fixed', async () => {
  const folder = temporaryFolder()
  const alertmanager = await startAlertmanager(
    folder,
    readFileSync('config/alertmanager/alertmanager.yml', 'utf8').replace('group_wait: 30s', 'group_wait: 1s'),
  )
  const { simulator, prometheus } = await world({ alertmanager: alertmanager.address })
  const { primary } = simulator
  // At the very start it may look as if nobody answered yet.
  for (const quiet of ['MfaNotEnrolled', 'SettingsDrift', 'SecretExpired', 'Down', 'SyncStale', 'SyncNever'])
    await ends(prometheus, `Tenantwatch${quiet}`)
  await fires(prometheus, 'TenantwatchWatchdog', { severity: 'none' })
  const from = Math.ceil(Date.now() / 1000)

  const [user] = [...primary.users.all()]
  primary.users.update(user?.userId ?? 0, { mfaStatus: false })
  primary['authentication-settings'].update(0, { ssoEnforced: false })
  await until(async () =>
    (await prometheus.alerts('TenantwatchMfaNotEnrolled')).some((alert) => alert['alertstate'] === 'pending'),
  )
  await fires(prometheus, 'TenantwatchMfaNotEnrolled', { tenant: 'acme', severity: 'high' })
  await fires(prometheus, 'TenantwatchSettingsDrift', { tenant: 'acme', severity: 'critical' })
  await fires(prometheus, 'TenantwatchSsoNotEnforced', { tenant: 'acme' })
  const observed = await until(async () => (await alertmanager.alerts('TenantwatchMfaNotEnrolled'))[0]?.annotations)
  expect(observed['summary']).toBe(`acme: 1 user is not enrolled in multi-factor authentication (user ${user?.userId})`)
  const named = `lists all 1, such as user ${user?.userId} \\([\\da-f]{12}\\); `
  expect(observed['description']).toMatch(new RegExp(`^To do: .*First sync of this tenant.*${named}`))

  const [client] = [...primary['api-clients'].all()]
  const clientId = client?.clientId ?? ''
  primary['api-clients'].update(clientId, { secretExpirationDate: Date.now() + 20 * day })
  await fires(prometheus, 'TenantwatchSecretExpiryNear', { client_id: clientId })
  await until(async () =>
    (await alertmanager.alerts('TenantwatchSecretExpiryNear')).some(({ state }) => state === 'active'),
  )
  primary['api-clients'].update(clientId, { secretExpirationDate: Date.now() + 20_000 })
  await fires(prometheus, 'TenantwatchSecretExpiryLastDay', { client_id: clientId })
  await fires(prometheus, 'TenantwatchSecretExpired', { client_id: clientId })
  for (const rung of ['Near', 'LastDay']) await ends(prometheus, `TenantwatchSecretExpiry${rung}`)
  await until(async () => (await alertmanager.alerts('TenantwatchSecretExpired')).length === 1)
  expect((await alertmanager.alerts('TenantwatchSecretExpired')).map(({ state }) => state)).toEqual(['active'])

  primary.users.update(user?.userId ?? 0, { mfaStatus: true })
  primary['authentication-settings'].update(0, { ssoEnforced: true })
  primary['api-clients'].update(clientId, { secretExpirationDate: Date.now() + 200 * day })
  for (const name of ['MfaNotEnrolled', 'SettingsDrift', 'SsoNotEnforced', 'SecretExpired'])
    await ends(prometheus, `Tenantwatch${name}`)
  expect(await prometheus.query('tenantwatch_secret_rotations_total{tenant="acme"} > 0')).toHaveLength(1)
  const annotations = board('posture').annotations.list ?? []
  expect(annotations.map(({ name }) => name)).toEqual(['Secret rotated', 'Drift'])
  // Range queries end at a whole second, which may be before the last scrape.
  for (const { expr } of annotations) await until(async () => (await prometheus.since(asked(expr), from)).length === 1)
})

it.each([
  [1, /^\[firing\] acme: the secret of API client bot-1 expires in 5 days$/],
  [3, /^\[firing\] acme: the secret of API client bot-\d expires in 5 days, and 2 more$/],
])('notifies of %i alerts of a group under one title, with what to do, a link and since when', async (count, title) => {
  const folder = temporaryFolder()
  const { promise, resolve } = Promise.withResolvers<string>()
  const slack = createServer((request, answer) => {
    request.setEncoding('utf8').on('data', resolve)
    request.on('end', () => answer.end('ok'))
  })
  writeFileSync(join(folder, 'slack'), `http://127.0.0.1:${await listening(slack)}`)
  const example = readFileSync('config/alertmanager/example.yml', 'utf8')
  const config = example
    .replace('group_wait: 30s', 'group_wait: 1s')
    .replace('slack-webhook-url', join(folder, 'slack'))
  const { address } = await startAlertmanager(folder, config)
  const alerts = Array.from({ length: count }, (_, n) => ({
    labels: { alertname: 'TenantwatchSecretExpiryImminent', tenant: 'acme', client_id: `${n}`, severity: 'high' },
    annotations: {
      summary: `acme: the secret of API client bot-${n + 1} expires in 5 days`,
      description: 'Create a new secret.',
      runbook_url: 'https://runbook.example',
    },
    startsAt: '2026-11-01T12:00:00Z',
  }))
  const headers = { 'content-type': 'application/json' }
  await fetch(`http://${address}/api/v2/alerts`, { method: 'POST', headers, body: JSON.stringify(alerts) })
  const [attachment] = JSON.parse(await promise).attachments
  expect(attachment.title).toMatch(title)
  expect(attachment.title_link).toBe('https://runbook.example')
  const line = /Create a new secret\. https:\/\/runbook\.example \(firing since 2026-11-01 12:00 UTC\)/g
  expect(attachment.text.match(line)).toHaveLength(count)
})

it('resolves no finding while the daemon is blind or dead', async () => {
  const { simulator, place, prometheus, daemon: first } = await world()
  const { primary, faults } = simulator
  const [user] = [...primary.users.all()]
  primary.users.update(user?.userId ?? 0, { mfaStatus: false })
  const [client] = [...primary['api-clients'].all()]
  primary['api-clients'].update(client?.clientId ?? '', { secretExpirationDate: Date.now() + 20 * day })
  const open = ['TenantwatchMfaNotEnrolled', 'TenantwatchSecretExpiryNear']
  for (const name of open) await fires(prometheus, name)
  // From the next second on: the instant itself may be before the evaluation that reported it.
  const from = Math.ceil(Date.now() / 1000) + 1

  simulator.credentials.reader.permissions.delete('Api_Users_Read')
  await fires(prometheus, 'TenantwatchAccessRefused', { resource: 'users' })
  await fires(prometheus, 'TenantwatchSyncStale', { resource: 'users' })
  simulator.credentials.reader.permissions.add('Api_Users_Read')
  await ends(prometheus, 'TenantwatchSyncStale')

  const { id } = faults.add({ path: '/api/public/*', effect: { kind: 'reset', when: 'before' } })
  await fires(prometheus, 'TenantwatchSyncStale', { resource: 'documents' })
  await fires(prometheus, 'TenantwatchCheckUnknown', { check: 'user-invitation-accepted' })
  // Runs fail again within the time that the rule looks back, and none of them is refused.
  await fires(prometheus, 'TenantwatchSyncFailing', { resource: 'users' })
  expect(await prometheus.alerts('TenantwatchAccessRefused')).toEqual([])
  faults.remove(id)
  await ends(prometheus, 'TenantwatchSyncStale')

  simulator.credentials.reader.isRevoked = true
  await fires(prometheus, 'TenantwatchAccessRefused', { resource: 'roles' })
  await fires(prometheus, 'TenantwatchSyncStale', { resource: 'users' })
  simulator.credentials.reader.isRevoked = false

  first.child.kill('SIGKILL')
  await first.ended
  await fires(prometheus, 'TenantwatchDown')
  await fires(prometheus, 'TenantwatchInstanceDown', { instance: 'a' })
  const ofUser = `check="user-mfa-enrolled",entity_id="${user?.userId}"`
  await until(async () => (await prometheus.query(`tenantwatch_finding_info{${ofUser}}`)).length === 0)
  expect(await prometheus.query(`tenant_check_finding:tenantwatch_finding_info:last_known{${ofUser}}`)).toHaveLength(1)
  const second = await daemon(place)
  prometheus.scrape(second.url)
  for (const name of ['Down', 'InstanceDown', 'SyncStale', 'CheckUnknown', 'AccessRefused'])
    await ends(prometheus, `Tenantwatch${name}`)
  for (const name of open) await neverEnded(prometheus, name, from)

  primary.users.update(user?.userId ?? 0, { mfaStatus: true })
  await ends(prometheus, 'TenantwatchMfaNotEnrolled')
})
