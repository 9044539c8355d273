import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { renderGrafanaRules } from '../../src/monitoring/grafana-rules.ts'
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

const grafanaRules = (text: string) => (parse(text) as GrafanaFile).groups.flatMap(({ rules }) => rules)
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

it('has ids and titles that Grafana takes, each once', () => {
  const rules = grafanaRules(renderGrafanaRules(plain, 'metrics', 'a test'))
  for (const name of ['uid', 'title'] as const) expect(new Set(rules.map((rule) => rule[name])).size).toBe(rules.length)
  for (const { uid, title } of rules)
    expect([uid, title]).toEqual([expect.stringMatching(/^[\w-]{1,40}$/), title.slice(0, 190)])
  // Without its queries, a text says what else it would.
  expect(JSON.stringify(rules)).toContain('has not worked since its secret expired:')
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
        ...{ team: 'security', env: 'prod', severity: expect.stringMatching(/^(page|high|medium|none)$/) },
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

it.each([
  ['--label', 'team'],
  ['--label', '1a=b'],
  ['--label', 'severity=high'],
  ['--label', '__name__=x'],
  ['--label', 'team={{ $value }}'],
  ['--annotation', 'summary=Mine'],
  ['--severity', 'urgent=page'],
  ['--page', 'watch.example'],
  ['--portal', 'http://portal.example/{clientId}'],
  ['--portal', 'javascript:alert({clientId})'],
  ['--portal', 'https://portal.example/{clientId}/{{ . }}'],
  ['--grafana', 'http://x/{{ evil }}'],
  ['--datasource', 'a b'],
])('refuses %s %s', async (option, value) => {
  const { run } = await cli({ simulator: null })
  const { code, stdout, stderr } = await run('rules', option, value)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(option)])
})
