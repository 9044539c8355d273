import { hash } from 'node:crypto'
import { stringify } from 'yaml'
import type { Alert, AlertCase } from './alert.ts'
import { alertGroups } from './alerts/index.ts'
import type { MonitoringInput } from './monitoring.ts'
import { grafanaTexts } from './named-findings.ts'
import { annotationsOf, labelsOf } from './rules.ts'

/** Time range of the queries: Grafana requires one, although an instant query does not use it. */
const rangeSeconds = 600

/** As in Prometheus, each series that the expression returns is an alert, whatever its value. */
const returnsSeries = 'is_number($A) || is_nan($A) || is_inf($A)'

/** The alerts as a file for the provisioning of Grafana-managed alerts. The recorded series stay in Prometheus. */
export function renderGrafanaRules(
  input: MonitoringInput,
  datasource: string,
  writtenBy = 'tenantwatch rules --format grafana --defaults',
): string {
  const groups = alertGroups.map(({ name, alerts }) => ({
    ...{ orgId: 1, name, folder: 'tenantwatch', interval: '1m' },
    rules: alerts(input).flatMap((alert) => alert.cases(input).map((one) => toRule(alert, one, input, datasource))),
  }))
  const heading = [
    `# Grafana-managed alerts over the metrics of tenantwatch. Written by: ${writtenBy}`,
    '# Prometheus needs the recorded series besides: tenantwatch rules --format recording',
  ]
  return `${heading.join('\n')}\n${stringify({ apiVersion: 1, groups }, { lineWidth: 0, blockQuote: 'literal' })}`
}

function toRule(alert: Alert, condition: AlertCase, input: MonitoringInput, datasource: string) {
  const { name } = alert
  // Titles must differ within a folder; the conditions of one alert differ in severity.
  const title = alert.cases(input).length === 1 ? name : `${name} ${condition.severity}`
  const annotations = annotationsOf(alert, condition, input, grafanaTexts)
  const rule = {
    uid: `tenantwatch-${hash('sha256', title, 'hex').slice(0, 24)}`,
    title,
    condition: 'B',
    data: [
      {
        refId: 'A',
        datasourceUid: datasource,
        relativeTimeRange: { from: rangeSeconds, to: 0 },
        model: { refId: 'A', expr: condition.expr, instant: true, range: false },
      },
      {
        refId: 'B',
        datasourceUid: '__expr__',
        relativeTimeRange: { from: 0, to: 0 },
        model: { refId: 'B', type: 'math', expression: returnsSeries },
      },
    ],
    // No series = no alert. A failed query must not look like that.
    noDataState: 'OK',
    execErrState: 'Error',
    for: condition.for ?? '0s',
    labels: labelsOf(condition, input),
  }
  return {
    ...escaped(rule),
    // Grafana expands environment variables everywhere except in annotations.
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, text]) => [key, text.replaceAll('$value', '$values.A.Value')]),
    ),
  }
}

function escaped<T>(rule: T): T {
  return JSON.parse(JSON.stringify(rule), (_, value) =>
    typeof value === 'string' ? value.replaceAll('$', '$$$$') : value,
  )
}
