import { hash } from 'node:crypto'
import { type Installation, installedRule, type Rule, type RuleGroup, shippedGroups, toYaml } from './rules.ts'

/** Time range of the queries: Grafana requires one, although an instant query does not use it. */
const rangeSeconds = 600

/** As in Prometheus, each series that the expression returns is an alert, whatever its value. */
const returnsSeries = 'is_number($A) || is_nan($A) || is_inf($A)'

/**
 * The alerts as a file for the provisioning of Grafana-managed alerts. The recorded series stay in Prometheus.
 *
 * @param datasource UID of Prometheus in Grafana.
 * @param writtenBy the complete command that writes the file again.
 */
export function renderGrafanaRules(installation: Installation, datasource: string, writtenBy: string): string {
  const groups = shippedGroups()
    .filter(({ rules }) => rules.some(({ alert }) => alert !== undefined))
    .map((group) => ({
      ...{ orgId: 1, name: group.name, folder: 'tenantwatch', interval: '1m' },
      rules: group.rules.map((rule) =>
        grafanaRule(installedRule(rule, installation), titleOf(rule, group), datasource),
      ),
    }))
  const heading = [
    `# Grafana-managed alerts over the metrics of tenantwatch. Written by: ${writtenBy}`,
    '# Prometheus needs the recorded series besides: tenantwatch rules --format recording',
  ]
  return `${heading.join('\n')}\n${toYaml({ apiVersion: 1, groups })}`
}

/** Titles must differ within a folder; the rules of one alert differ in severity. */
function titleOf({ alert = '', labels }: Rule, { rules }: RuleGroup): string {
  const isOnly = rules.filter((rule) => rule.alert === alert).length === 1
  return isOnly ? alert : `${alert} ${labels?.['severity']}`
}

function grafanaRule(rule: Rule, title: string, datasource: string) {
  // A label of the series that is also one of the rule is a warning in the log of Grafana at each evaluation.
  const expr = rule.expr.replace('by (tenant, check, severity)', 'by (tenant, check)')
  // Its label may have another value in this installation.
  const severity = /\bseverity="(\w+)"/.exec(rule.expr)?.[1] ?? ''
  const textOf = (text: string) =>
    withoutQueries(text).replaceAll('{{ $labels.severity }}', severity).replaceAll('$value', '$values.A.Value')
  const query = {
    refId: 'A',
    datasourceUid: datasource,
    relativeTimeRange: { from: rangeSeconds, to: 0 },
    model: { refId: 'A', expr: escaped(expr), instant: true, range: false },
  }
  const condition = {
    refId: 'B',
    datasourceUid: '__expr__',
    relativeTimeRange: { from: 0, to: 0 },
    model: { refId: 'B', type: 'math', expression: escaped(returnsSeries) },
  }
  return {
    uid: `tenantwatch-${hash('sha256', title, 'hex').slice(0, 24)}`,
    title,
    condition: condition.refId,
    data: [query, condition],
    // No series = no alert. A failed query must not look like that.
    noDataState: 'OK',
    execErrState: 'Error',
    for: rule.for ?? '0s',
    labels: mapValues(rule.labels, escaped),
    annotations: mapValues(rule.annotations, textOf),
  }
}

/** Grafana expands environment variables everywhere except in annotations. */
function escaped(text: string): string {
  return text.replaceAll('$', '$$$$')
}

function mapValues(texts: Readonly<Record<string, string>> = {}, change: (text: string) => string) {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, change(text)]))
}

/** Templates of Grafana cannot query: leaves out queries, and the blocks about what they found; keeps what else they say. */
function withoutQueries(template: string): string {
  let depth = 0
  let isElse = false
  const parts = template.split(/(\{\{.*?\}\})/).filter((part) => {
    if (depth === 0 && !/^\{\{.*(?:\bquery \(|\$found\b)/.test(part)) return true
    const word = /^\{\{-? *(\w+)/.exec(part)?.[1] ?? ''
    if (['if', 'range', 'with'].includes(word)) depth++
    else if (word === 'end') depth--
    else if (word === 'else') isElse ||= depth === 1
    else return isElse && depth === 1
    isElse &&= depth > 0
    return false
  })
  return parts.join('')
}
