import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { checks } from '../../src/checks/index.ts'
import {
  createMonitoringInput,
  defaultEvaluate,
  defaultMonitoringInput,
} from '../../src/commands/support/monitoring-input.ts'
import { metricCatalogue } from '../../src/metrics/catalogue.ts'
import { inventories } from '../../src/metrics/inventory/index.ts'
import { dashboardIds } from '../../src/monitoring/dashboard-ids.ts'
import { dashboards } from '../../src/monitoring/dashboards/render.ts'
import { renderInhibitions } from '../../src/monitoring/inhibitions.ts'
import { recordings } from '../../src/monitoring/recording.ts'
import { alertsOf, renderRules } from '../../src/monitoring/rules.ts'
import { resources } from '../../src/resources/index.ts'
import { metricsOf, reading, textOf, untouched } from '../metrics/support/daemon.ts'
import { seriesOf } from '../metrics/support/parse.ts'

interface Rule {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: { readonly severity: string }
  readonly annotations?: Readonly<Record<string, string>>
}

const runbooks = 'https://runbooks.example/{name}.md'
const links = { runbooks, runbooksWhileDown: runbooks, grafana: 'https://grafana.example', page: null }
const rulesOf = (text: string): Rule[] =>
  (parse(text) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules)
const tenant = (name: string, days: number, highDays: number) => ({
  name,
  checks: { 'api-client-secret-not-expiring': { enabled: true, severity: null, options: { days, highDays } } },
})

it('gives every alert a severity, words, a runbook and a dashboard', () => {
  const input = createMonitoringInput({ tenants: [], evaluate: defaultEvaluate }, 'tenantwatch', links)
  const alerts = rulesOf(renderRules(input, 'prometheus')).filter((rule) => rule.alert !== undefined)
  expect(alerts.length).toBeGreaterThan(30)
  for (const { alert, labels, annotations } of alerts) {
    expect(labels?.severity).toMatch(/^(critical|warning|info|none)$/)
    expect(annotations?.['summary']).toMatch(/^\S/)
    expect(annotations?.['description']).toMatch(/\.$/)
    expect(annotations?.['runbook_url']).toBe(`https://runbooks.example/${alert}.md`)
    expect(annotations?.['dashboard_url']).toMatch(
      /^https:\/\/grafana\.example\/d\/tenantwatch-[a-z]+\{\{ with \$labels\.tenant \}\}\?var-tenant=\{\{ \. \}\}\{\{ end \}\}$/,
    )
  }
})

it('begins the title of every alert about a tenant with its name, and states what to do', () => {
  const alerts = rulesOf(renderRules(defaultMonitoringInput(), 'prometheus')).filter((rule) => rule.alert !== undefined)
  const ofTenant = alerts.filter(({ annotations }) => annotations?.['summary']?.includes('$labels.tenant'))
  expect(ofTenant.length).toBeGreaterThan(30)
  for (const { alert, annotations } of ofTenant)
    expect([alert, annotations?.['summary']]).toEqual([
      alert,
      expect.stringMatching(/^(?:\{\{ \$found := .+? \}\})?\{\{ \$labels\.tenant \}\}: /),
    ])
  const passive = alerts.filter(({ annotations }) => !action.test(annotations?.['description'] ?? ''))
  expect([...new Set(passive.map(({ alert }) => alert))]).toEqual(['TenantwatchWatchdog'])
  for (const { id, alert, remediation } of checks) {
    const own = alerts.filter((one) => one.alert === `Tenantwatch${alert?.name}`)
    for (const { annotations } of own)
      expect([id, annotations?.['description']]).toEqual([id, expect.stringContaining(` To do: ${remediation}`)])
  }
})

/** A command of tenantwatch, or an instruction. */
const action =
  /`tenantwatch (doctor|accept|explain|config check)|[Ss]tart the daemon|: correct |: (put|review|create|fix|remove) |Plan |Create |runbook explains/

it('names in every title and every text the tenant and the entity that the alert is about', () => {
  const entities = ['tenant', 'check', 'client_id', 'resource', 'waiver', 'instance'] as const
  const alerts = rulesOf(renderRules(defaultMonitoringInput(), 'prometheus')).filter((rule) => rule.alert !== undefined)
  const namedIn = (text = '') => entities.filter((name) => text.includes(`$labels.${name} `))
  const named = alerts.map(({ alert = '', annotations }) => {
    const [summary, description] = [namedIn(annotations?.['summary']), namedIn(annotations?.['description'])]
    expect([alert, summary.filter((name) => !description.includes(name))]).toEqual([alert, []])
    return [alert, summary] as const
  })
  const ofNoTenant = named.filter(([, summary]) => !summary.includes('tenant')).map(([alert]) => alert)
  expect(ofNoTenant).toEqual([
    'TenantwatchDown',
    'TenantwatchInstanceDown',
    'TenantwatchMetricsMissing',
    'TenantwatchReplicaStale',
    'TenantwatchConfigReloadFailed',
    'TenantwatchWatchdog',
  ])
  const byName = new Map(named)
  expect(byName.get('TenantwatchSecretExpired')).toEqual(['tenant', 'client_id'])
  expect(byName.get('TenantwatchSyncStale')).toEqual(['tenant', 'resource'])
  expect(byName.get('TenantwatchWaiverEnds')).toContain('waiver')
})

it('lists the findings in the texts of every alert that counts findings', () => {
  const alerts = rulesOf(renderRules(defaultMonitoringInput(), 'prometheus')).filter(({ expr, alert }) => {
    return alert !== undefined && expr.includes('tenantwatch_findings:last_known')
  })
  expect(alerts.length).toBeGreaterThan(10)
  for (const { expr, annotations } of alerts) {
    const [, check = '{{ $labels.check }}'] = /check="([^"]+)"/.exec(expr) ?? []
    const [severity = ''] = /severity="\w+"/.exec(expr) ?? []
    for (const text of [annotations?.['summary'], annotations?.['description']]) {
      expect(text).toContain('query (printf `tenant_check_finding:tenantwatch_finding_info:last_known{tenant=%q,')
      expect(text).toContain(severity)
    }
    expect(annotations?.['description']).toContain(`findings --tenant {{ $labels.tenant }} --check ${check}`)
  }
})

it('has an alert for every check whose findings are at least medium', () => {
  const text = renderRules(defaultMonitoringInput(), 'prometheus')
  const loud = checks.filter(
    ({ severities, alert }) => alert !== null && severities.some((severity) => /medium|high|critical/.test(severity)),
  )
  expect(loud.length).toBeGreaterThan(9)
  for (const { id, alert } of loud) {
    expect(text).toContain(`alert: Tenantwatch${alert?.name}`)
    expect(text).toContain(`check="${id}"`)
  }
})

it('names alerts and dashboards once', () => {
  const names = alertsOf(defaultMonitoringInput()).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

it('names only series that the daemon exports or the rules record', () => {
  const exported = metricCatalogue(inventories).flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  )
  const known = new Set<string>([...exported, ...recordings.map(({ record }) => record)])
  const input = defaultMonitoringInput()
  const panels = dashboardIds.flatMap((id) => {
    const { rows, annotations } = dashboards[id](input)
    return [
      ...rows.flatMap((row) => row.panels.flatMap((panel) => panel.queries.map(({ expr }) => expr))),
      ...annotations.map(({ expr }) => expr),
    ]
  })
  const written = [...rulesOf(renderRules(input, 'prometheus')).map(({ expr }) => expr), ...panels]
  const named = written.flatMap((expr) => expr.match(/(?<!["|])\b(?:[a-z_]+:)?tenantwatch_[a-z_]+(?::[a-z_]+)?/g) ?? [])
  expect(named.length).toBeGreaterThan(100)
  expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([])
})

it('reads only counters that exist from the first scrape, with the label values that it selects', async () => {
  const initial = textOf(await metricsOf([reading(untouched)]).render())
  const rules = rulesOf(renderRules(defaultMonitoringInput(), 'prometheus')).map(({ expr }) => expr)
  const read = rules.flatMap((expr) => [...expr.matchAll(/(tenantwatch_\w+_total)(?:\{(\w+)=~"([^"]+)"\})?/g)])
  expect(new Set(read.map(([selector]) => selector))).toEqual(
    new Set([
      'tenantwatch_contract_events_total',
      'tenantwatch_sync_failures_total{reason=~"unauthorized|missing_permission"}',
    ]),
  )
  for (const [, name = '', label = '', values = ''] of read) {
    for (const value of values.split('|').filter(Boolean))
      expect(seriesOf(initial, name).filter(({ labels }) => labels[label] === value)).toHaveLength(resources.length)
  }
})

it('takes thresholds from the configuration, for each tenant its own', () => {
  const tenants = [tenant('a', 30, 7), tenant('b', 30, 7), tenant('c', 90, 14)]
  const input = createMonitoringInput(
    { tenants, evaluate: { expression: '*/20 * * * *', intervalMs: 1_200_000 } },
    'watch',
    links,
  )
  const rules = rulesOf(renderRules(input, 'prometheus'))
  const exprs = (name: string) => rules.filter(({ alert }) => alert === name).map(({ expr }) => expr)
  const reached = (near: string, far: string) =>
    expect.stringMatching(
      RegExp(
        String.raw`^\(\n {2}\(\(\S+\{tenant!~"c"\} - time\(\)\) / 86400 <= ${near}\)\n {2}or \(\(\S+\{tenant=~"c"\} - time\(\)\) / 86400 <= ${far}\)\n\)\nunless `,
      ),
    )
  expect(exprs('TenantwatchSecretExpiryNear')).toEqual([reached('30 > 7', '90 > 14')])
  expect(exprs('TenantwatchSecretExpiryImminent')).toEqual([reached('7 > 1', '14 > 1')])
  expect(exprs('TenantwatchSecretExpiryLastDay')).toEqual([
    expect.stringMatching(/^\([^{]+ - time\(\)\) \/ 86400 <= 1 > 0\)\nunless /),
  ])
  expect(exprs('TenantwatchSecretExpired')).toEqual([
    expect.stringMatching(/^\([^{]+ - time\(\)\) \/ 86400 <= 0\)\nunless /),
  ])
  expect(exprs('TenantwatchEvaluationStalled')).toEqual([
    'time() - tenantwatch_evaluation_last_timestamp_seconds > 3600',
  ])
  expect(exprs('TenantwatchInstanceDown')[0]).toBe('up{job="watch"} != 1')
})

it('has one rule for each severity of an alert: Prometheus takes two for copies', () => {
  const tenants = [tenant('a', 30, 7), tenant('b', 60, 7), tenant('c', 90, 14)]
  const input = createMonitoringInput({ tenants, evaluate: defaultEvaluate }, 'tenantwatch', links)
  const named = rulesOf(renderRules(input, 'prometheus')).map(
    ({ alert, record, labels }) => `${record ?? alert} ${labels?.severity}`,
  )
  expect(named.filter((name, index) => named.indexOf(name) !== index)).toEqual([])
})

it('alerts as loudly as the configured severity wants', () => {
  const mild = {
    name: 'a',
    checks: { 'user-mfa-enrolled': { enabled: true, severity: 'critical', options: {} } },
  } as const
  const input = createMonitoringInput({ tenants: [mild], evaluate: defaultEvaluate }, 'tenantwatch', links)
  const rules = rulesOf(renderRules(input, 'prometheus')).filter(({ alert }) => alert === 'TenantwatchMfaNotEnrolled')
  expect(rules.map(({ labels }) => labels?.severity)).toEqual(['critical'])
  expect(rules[0]?.expr).toContain('severity="critical"')
})

it('writes the same rules for the operator', () => {
  const input = defaultMonitoringInput()
  const resource = parse(renderRules(input, 'operator')) as {
    kind: string
    apiVersion: string
    spec: { groups: unknown }
  }
  expect(resource).toMatchObject({ kind: 'PrometheusRule', apiVersion: 'monitoring.coreos.com/v1' })
  expect(resource.spec.groups).toEqual((parse(renderRules(input, 'prometheus')) as { groups: unknown }).groups)
})

it('lets a more urgent secret alert silence every less urgent one', () => {
  const { inhibit_rules: rules } = parse(renderInhibitions()) as {
    inhibit_rules: { source_matchers: string[]; target_matchers: string[]; equal: string[] }[]
  }
  expect(rules).toContainEqual({
    source_matchers: ['alertname = TenantwatchSecretExpired'],
    target_matchers: [
      'alertname =~ "TenantwatchSecretExpiryNear|TenantwatchSecretExpiryImminent|TenantwatchSecretExpiryLastDay"',
    ],
    equal: ['tenant', 'client_id'],
  })
})

it('lets an alert that names the cause silence its consequences, and none about findings', () => {
  const { inhibit_rules: rules } = parse(renderInhibitions()) as {
    inhibit_rules: { source_matchers: string[]; target_matchers: string[]; equal: string[] }[]
  }
  const holds = ([, name = '', operator, value = '']: readonly string[], alert: Readonly<Record<string, string>>) =>
    operator === '=~' ? new RegExp(`^(?:${value})$`).test(alert[name] ?? '') : (alert[name] ?? '') === value
  const matches = (matchers: string[], alert: Readonly<Record<string, string>>) =>
    matchers.every((text) => holds(text.match(/^(\w+) (=~?) "?(.*?)"?$/) ?? [], alert))
  const isSilenced = (target: Readonly<Record<string, string>>, by: Readonly<Record<string, string>>) =>
    rules.some(
      ({ source_matchers, target_matchers, equal }) =>
        matches(source_matchers, by) &&
        matches(target_matchers, target) &&
        equal.every((label) => (target[label] ?? '') === (by[label] ?? '')),
    )
  const alert = (name: string, severity: string, labels: Readonly<Record<string, string>> = {}) => ({
    alertname: `Tenantwatch${name}`,
    severity,
    ...labels,
  })
  const users = { tenant: 'a', resource: 'users' }
  const failing = alert('SyncFailing', 'warning', { ...users, mode: 'full' })
  const stale = alert('SyncStale', 'critical', users)
  const held = (labels: object) => alert('Held', 'warning', { tenant: 'a', reason: 'shrink_held', ...labels })
  const unknown = alert('CheckUnknown', 'warning', { tenant: 'a', check: 'user-mfa-enrolled' })
  const finding = alert('MfaPolicyOff', 'warning', { tenant: 'a', check: 'auth-mfa-policy-enabled' })
  expect(isSilenced(failing, held({ resource: 'users' }))).toBe(true)
  expect(isSilenced(failing, held({ resource: 'documents' }))).toBe(false)
  expect(isSilenced(failing, held({ resource: 'all' }))).toBe(true)
  expect(isSilenced({ ...failing, tenant: 'b' }, held({ resource: 'all' }))).toBe(false)
  expect(isSilenced(unknown, held({ resource: 'all' }))).toBe(true)
  expect(isSilenced(unknown, held({ resource: 'users' }))).toBe(false)
  expect(isSilenced(stale, held({ resource: 'users' }))).toBe(false)
  expect(isSilenced(failing, stale)).toBe(true)
  const causes = [alert('Down', 'critical'), alert('TenantsUnowned', 'critical', { tenant: 'a' })]
  for (const cause of causes) {
    expect([failing, stale, unknown, finding].map((one) => isSilenced(one, cause))).toEqual([true, true, true, false])
  }
})
