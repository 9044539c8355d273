import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { checks } from '../../src/checks/index.ts'
import { inventories } from '../../src/metrics/inventory.ts'
import { type Rule, renderInhibitions, renderRules } from '../../src/monitoring/rules.ts'
import { dashboardIds } from '../../src/monitoring/shipped.ts'
import { resources } from '../../src/resources/index.ts'
import { metricCatalogue } from '../../tools/metric-catalogue.ts'
import { metricsOf, reading, untouched } from '../metrics/support/daemon.ts'
import { seriesOf } from '../metrics/support/parse.ts'
import { board, panelsOf, plain, shippedAlerts, shippedRules } from './support/shipped.ts'

const rulesOf = (text: string): Rule[] =>
  (parse(text) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules)

it('gives every alert a severity, words, a runbook and a dashboard', () => {
  const alerts = rulesOf(renderRules(plain, 'prometheus', 'a test')).filter((rule) => rule.alert !== undefined)
  expect(alerts.length).toBeGreaterThan(30)
  for (const { alert, labels, annotations } of alerts) {
    expect(labels?.['severity']).toMatch(/^(critical|high|medium|none)$/)
    expect(annotations?.['summary']).toMatch(/^\S/)
    expect(annotations?.['description']).toMatch(/\.$/)
    expect(annotations?.['runbook_url']).toBe(`https://runbooks.example/${alert}.md`)
    expect(annotations?.['dashboard_url']).toBe(
      'https://grafana.example/d/tenantwatch-{{ with $labels.tenant }}posture?var-tenant={{ . }}{{ else }}operations{{ end }}',
    )
  }
})

it('has an alert of its own for every check, as loud as the severity of its findings, and one for all other checks', () => {
  const rulesFor = (alert: string, matcher: string) =>
    (
      [
        ['critical', 'critical'],
        ['high', 'high', '15m'],
        ['medium', 'medium', '1h'],
      ] as const
    ).map(([severity, label, wait]) => ({
      alert: `Tenantwatch${alert}`,
      expr: `sum by (tenant, check, severity) (tenant_check_severity:tenantwatch_findings:last_known{${matcher},severity="${severity}"}) != 0 unless on (tenant) tenant:tenantwatch_first_hour`,
      ...(wait && { for: wait }),
      labels: { severity: label },
    }))
  const expected = checks.flatMap(({ id, alert }) => (alert === null ? [] : rulesFor(alert, `check="${id}"`)))
  const hasRules = (id: string) =>
    shippedAlerts.some(({ annotations }) => annotations?.['runbook_url']?.endsWith(`docs/checks.md#${id}`))
  const covered = checks.flatMap(({ id, alert }) => (alert !== null || hasRules(id) ? [id] : [])).join('|')
  const written = shippedAlerts.filter(({ expr }) => expr.includes('tenantwatch_findings:last_known'))
  expect(written.map(({ annotations: _, ...rule }) => rule)).toEqual([
    ...expected,
    ...rulesFor('OwnCheckFails', `check!~"${covered}"`),
  ])
  for (const { alert, failing, remediation } of checks) {
    const { summary, description } = written.find((rule) => rule.alert === `Tenantwatch${alert}`)?.annotations ?? {}
    if (alert !== null) expect(description).toContain(`}}To do: ${remediation} {{`)
    if (alert !== null && Array.isArray(failing)) expect(summary).toContain(`}}${failing.join('{{ else }}')}{{ end }}`)
  }
})

it('names only series that the daemon exports or the rules record', () => {
  const exported = metricCatalogue(inventories).flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  )
  const known = new Set<string>([...exported, ...shippedRules.flatMap(({ record }) => record ?? [])])
  const panels = dashboardIds.flatMap((id) => [
    ...panelsOf(id).flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...(board(id).annotations.list ?? []).map(({ expr }) => expr),
  ])
  const written = [...shippedRules.map(({ expr }) => expr), ...panels]
  const named = written.flatMap((expr) => expr.match(/(?<!["|])\b(?:[a-z_]+:)?tenantwatch_[a-z_]+(?::[a-z_]+)?/g) ?? [])
  expect(named.length).toBeGreaterThan(100)
  expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([])
})

it('reads only counters that exist from the first scrape, with the label values that it selects', async () => {
  const initial = await metricsOf([reading(untouched)]).render()
  const rules = shippedRules.map(({ expr }) => expr)
  const read = rules.flatMap((expr) => [...expr.matchAll(/(tenantwatch_\w+_total)(?:\{(\w+)=~"([^"]+)"\})?/g)])
  expect(new Set(read.map(([selector]) => selector))).toEqual(
    new Set([
      'tenantwatch_contract_events_total',
      'tenantwatch_notifications_total',
      'tenantwatch_sync_failures_total{reason=~"unauthorized|missing_permission"}',
    ]),
  )
  for (const [, name = '', label = '', values = ''] of read) {
    for (const value of values.split('|').filter(Boolean))
      expect(seriesOf(initial, name).filter(({ labels }) => labels[label] === value)).toHaveLength(resources.length)
  }
})

it('lets an alert that names the cause silence its consequences, and none about findings', () => {
  const { inhibit_rules: rules } = parse(renderInhibitions({})) as {
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
  const failing = alert('SyncFailing', 'high', { ...users, mode: 'full' })
  const stale = alert('SyncStale', 'critical', users)
  const held = (labels: object) => alert('Held', 'high', { tenant: 'a', reason: 'shrink_held', ...labels })
  const unknown = alert('CheckUnknown', 'high', { tenant: 'a', check: 'user-mfa-enrolled' })
  const finding = alert('MfaPolicyOff', 'high', { tenant: 'a', check: 'auth-mfa-policy-enabled' })
  for (const [target, by, expected] of [
    [failing, held({ resource: 'users' }), true],
    [failing, held({ resource: 'documents' }), false],
    [failing, held({ resource: 'all' }), true],
    [{ ...failing, tenant: 'b' }, held({ resource: 'all' }), false],
    [unknown, held({ resource: 'all' }), true],
    [unknown, held({ resource: 'users' }), false],
    [stale, held({ resource: 'users' }), false],
    [failing, stale, true],
  ] as const)
    expect([target, by, isSilenced(target, by)]).toEqual([target, by, expected])
  for (const cause of [alert('Down', 'critical'), alert('TenantsUnowned', 'critical', { tenant: 'a' })])
    expect([failing, stale, unknown, finding].map((one) => isSilenced(one, cause))).toEqual([true, true, true, false])
})

it('puts the severities of an installation into the inhibition rules', () => {
  const text = renderInhibitions({ critical: 'page', high: 'page', medium: 'P 3' })
  const labels = [...text.matchAll(/severity =~? (.+)/g)].map(([, label]) => label)
  expect(labels).toEqual(['page', '"page|P 3"', 'page', 'P 3'])
})
