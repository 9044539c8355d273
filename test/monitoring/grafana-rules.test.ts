import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { renderGrafanaRules } from '../../src/monitoring/grafana-rules.ts'
import { renderInhibitions } from '../../src/monitoring/inhibitions.ts'
import { renderRules } from '../../src/monitoring/rules.ts'
import { cli } from '../commands/support/cli.ts'
import { plain, shippedAlerts } from './support/shipped.ts'

interface GrafanaRule {
  readonly uid: string
  readonly title: string
  readonly condition: string
  readonly data: readonly { refId: string; datasourceUid: string; model: Readonly<Record<string, unknown>> }[]
  readonly noDataState: string
  readonly execErrState: string
  readonly for: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

interface GrafanaFile {
  readonly apiVersion: number
  readonly groups: readonly { name: string; folder: string; interval: string; rules: readonly GrafanaRule[] }[]
}

interface PrometheusRule {
  readonly alert?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: Readonly<Record<string, string>>
}

const grafanaRules = (text: string) => (parse(text) as GrafanaFile).groups.flatMap(({ rules }) => rules)
const prometheusRules = (text: string) =>
  (parse(text) as { groups: { name: string; rules: PrometheusRule[] }[] }).groups.flatMap(({ rules }) => rules)

/** As Grafana reads it: a variable of its environment, which is not set here, is nothing; `$$` is a dollar sign. */
const interpolated = (text: unknown) =>
  String(text).replaceAll(/\$\$|\$\w+|\$\{\w+\}/g, (found) => (found === '$$' ? '$' : ''))

it('has the alerts of Prometheus with their expressions, waits and labels', () => {
  const rules = grafanaRules(renderGrafanaRules(plain, 'metrics', 'a test'))
  const ofGrafana = rules.map(({ title, data, labels, ...rule }) => {
    const [query] = data
    expect([query?.refId, query?.datasourceUid, query?.model['instant']]).toEqual(['A', 'metrics', true])
    return {
      name: title.split(' ')[0],
      expr: interpolated(query?.model['expr']),
      for: rule.for,
      severity: labels['severity'],
    }
  })
  expect(ofGrafana).toEqual(
    shippedAlerts.map(({ alert, expr, labels, ...rule }) => ({
      name: alert,
      // The severity of the findings would be a second label of this name.
      expr: expr.replace('(tenant, check, severity)', '(tenant, check)'),
      for: rule.for ?? '0s',
      severity: labels?.['severity'],
    })),
  )
})

it('fires for every series that an expression returns, and says so when it cannot be queried', () => {
  for (const { condition, data, noDataState, execErrState } of grafanaRules(
    renderGrafanaRules(plain, 'metrics', 'a test'),
  )) {
    const last = data.at(-1)
    expect([condition, last?.refId, last?.datasourceUid, last?.model['type']]).toEqual(['B', 'B', '__expr__', 'math'])
    expect(interpolated(last?.model['expression'])).toBe('is_number($A) || is_nan($A) || is_inf($A)')
    expect([noDataState, execErrState]).toEqual(['OK', 'Error'])
  }
})

it('has ids and titles that Grafana takes, each once', () => {
  const rules = grafanaRules(renderGrafanaRules(plain, 'metrics', 'a test'))
  for (const name of ['uid', 'title'] as const) expect(new Set(rules.map((rule) => rule[name])).size).toBe(rules.length)
  for (const { uid, title } of rules)
    expect([uid, title]).toEqual([expect.stringMatching(/^[\w-]{1,40}$/), title.slice(0, 190)])
})

it('uses no function and no value in texts that only templates of Prometheus have', () => {
  for (const { annotations } of grafanaRules(renderGrafanaRules(plain, 'metrics', 'a test'))) {
    const text = Object.values(annotations).join('\n')
    expect(text).not.toMatch(/\bquery\b|\blabel "|\bsortByLabel\b|\$value\b(?!s)|\$found/)
    expect(annotations['summary']).toMatch(/^\S/)
    expect(annotations['description']).toMatch(/\.$/)
    expect(annotations['runbook_url']).toMatch(/^https:/)
  }
})

it('writes the recorded series alone', () => {
  const recorded = prometheusRules(renderRules(plain, 'recording', 'a test'))
  expect(recorded).toEqual(
    prometheusRules(renderRules(plain, 'prometheus', 'a test')).filter(({ alert }) => alert === undefined),
  )
})

it('gives every alert the labels, annotations, severities and links of an installation, in every format', async () => {
  const { run } = await cli({ simulator: null })
  const marks = ['--label', 'team=security', '--label', 'env=prod', '--annotation', 'contact=call 4711']
  const options = [...marks, '--severity', 'critical=page', '--page', 'https://watch.example/']
  for (const format of ['prometheus', 'operator', 'grafana']) {
    const { code, stdout, stderr } = await run('rules', '--format', format, ...options)
    expect([code, stderr]).toEqual([0, ''])
    const spec = parse(stdout) as { groups?: unknown; spec?: unknown }
    const { groups } = (spec.spec ?? spec) as {
      groups: { rules: { record?: string; labels: object; annotations: Readonly<Record<string, string>> }[] }[]
    }
    const alerts = groups.flatMap(({ rules }) => rules).filter(({ record }) => record === undefined)
    expect(alerts.length).toBeGreaterThan(30)
    for (const { labels, annotations } of alerts) {
      expect(labels).toMatchObject({
        ...{ team: 'security', env: 'prod', severity: expect.stringMatching(/^(page|warning|info|none)$/) },
      })
      expect(annotations).toMatchObject({ contact: 'call 4711' })
      const { page_url: url, summary } = annotations
      // The page of a daemon that is down does not answer, and one without the tenant does not find it.
      if (/scrapes|no longer monitored/.test(summary ?? '')) expect(url).toBeUndefined()
      else expect(url).toMatch(/^https:\/\/watch\.example\/\{\{ with \$labels\.tenant \}\}\?tenant=/)
    }
  }
  const { stdout } = await run('rules', '--format', 'alertmanager', '--severity', 'critical=page')
  expect(stdout).toContain('severity = page')
  expect(stdout).not.toContain('critical')
})

it('gives the alerts about findings the label for their severity, and the others that for their value', async () => {
  const { run } = await cli({ simulator: null })
  const options = ['--severity', 'high=page', '--severity', 'warning=ticket', '--severity', 'medium=mail']
  for (const format of ['prometheus', 'grafana']) {
    const { code, stdout } = await run('rules', '--format', format, ...options)
    expect(code).toBe(0)
    const { groups } = parse(stdout) as { groups: { rules: { alert?: string; title?: string; labels?: object }[] }[] }
    const rules = groups.flatMap(({ rules }) => rules)
    const labels = (name: string) =>
      rules.flatMap(({ alert, title, labels }) => ((alert ?? title)?.split(' ')[0] === name ? [labels] : []))
    expect(labels('TenantwatchInvitationStale')).toEqual([
      { severity: 'critical' },
      { severity: 'page' },
      { severity: 'mail' },
    ])
    expect(labels('TenantwatchSecretExpiryNear')).toEqual([{ severity: 'mail' }])
    expect(labels('TenantwatchSecretExpiryImminent')).toEqual([{ severity: 'page' }])
    expect(labels('TenantwatchSecretExpiryLastDay')).toEqual([{ severity: 'critical' }])
    expect(labels('TenantwatchCheckUnknown')).toEqual([{ severity: 'ticket' }])
    expect(labels('TenantwatchWaiverEnds')).toEqual([{ severity: 'info' }])
  }
  const { stdout } = await run('rules', '--format', 'alertmanager', ...options)
  expect(stdout).toContain('severity =~ "ticket|page|info|mail"')
  expect(stdout).toContain('severity =~ "ticket|page"\n')
})

it('names the severity of findings that has no alert', async () => {
  const { run } = await cli({ simulator: null })
  expect(await run('rules', '--severity', 'low=page')).toMatchObject({
    code: 2,
    stderr: 'tenantwatch: Invalid value of --severity: findings of severity low have no alert\n',
  })
})

it('lets no alert inhibit itself where two severities have one name', () => {
  const { inhibit_rules } = parse(renderInhibitions({ critical: 'page', warning: 'page' })) as {
    inhibit_rules: readonly { source_matchers: readonly string[]; target_matchers: readonly string[] }[]
  }
  const bySeverity = inhibit_rules.filter(({ source_matchers }) =>
    source_matchers.some((one) => one.includes('severity')),
  )
  expect(bySeverity.map(({ target_matchers }) => target_matchers[1])).toEqual(['severity = info', 'severity = info'])
})

it.each([
  ['--label', 'team'],
  ['--label', 'severity=high'],
  ['--label', '__name__=x'],
  ['--label', 'team={{ $value }}'],
  ['--annotation', 'summary=Mine'],
  ['--severity', 'urgent=page'],
  ['--severity', 'page'],
  ['--page', 'watch.example'],
  ['--datasource', 'a b'],
])('refuses %s %s', async (option, value) => {
  const { run } = await cli({ simulator: null })
  const { code, stdout, stderr } = await run('rules', option, value)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(new RegExp(`^tenantwatch: .*${option}.*expected|^tenantwatch: ${option} must be `))
})
