import { stringify } from 'yaml'
import type { Alert, AlertCase, AlertGroup, AlertText } from './alert.ts'
import { alertGroups } from './alerts/index.ts'
import { dashboardUid } from './dashboard-ids.ts'
import { findingSeverities, type MonitoringInput } from './monitoring.ts'
import { prometheusTexts, type QueriedTexts } from './named-findings.ts'
import { recordings } from './recording.ts'

export const ruleFormats = ['prometheus', 'operator', 'recording'] as const

export type RuleFormat = (typeof ruleFormats)[number]

interface Rule {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

interface Group {
  readonly name: string
  readonly why: string
  readonly rules: readonly Rule[]
}

/**
 * Recording and alert rules as a Prometheus rule file, or as a PrometheusRule of its operator; `recording` = without
 * alerts.
 *
 * @param writtenBy the complete command that writes the file again.
 */
export function renderRules(
  input: MonitoringInput,
  format: RuleFormat,
  writtenBy = `tenantwatch rules --format ${format} --defaults`,
): string {
  const alerts = format === 'recording' ? [] : alertGroups.map((group) => alertGroup(group, input))
  const groups = [recordingGroup(input), ...alerts]
  const body = ['groups:', ...groups.map(writeGroup)].join('\n')
  const heading = `# Rules over the metrics of tenantwatch, for a scrape job named ${input.job}. Written by: ${writtenBy}`
  if (format !== 'operator') return `${heading}\n${body}\n`
  const head = stringify({
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'tenantwatch', labels: { 'app.kubernetes.io/name': 'tenantwatch' } },
  })
  return `${heading}\n${head}spec:\n${shifted(body, 2)}\n`
}

/** The alerts of the catalogue that have a condition under the configuration. */
export function alertsOf(input: MonitoringInput): readonly Alert[] {
  return alertGroups.flatMap((group) => group.alerts(input)).filter((alert) => alert.cases(input).length > 0)
}

function recordingGroup(input: MonitoringInput): Group {
  const rules = recordings.map(({ record, expr }) => ({ record, expr: expr(input) }))
  return { name: 'tenantwatch-record', why: 'Series that several rules and panels use.', rules }
}

function alertGroup({ name, why, alerts }: AlertGroup, input: MonitoringInput): Group {
  const rules = alerts(input).flatMap((alert) => alert.cases(input).map((condition) => toRule(alert, condition, input)))
  return { name, why, rules }
}

function toRule(alert: Alert, condition: AlertCase, input: MonitoringInput): Rule {
  return {
    alert: alert.name,
    expr: condition.expr,
    ...(condition.for === undefined ? {} : { for: condition.for }),
    labels: labelsOf(condition, input),
    annotations: annotationsOf(alert, condition, input, prometheusTexts),
  }
}

export function labelsOf(
  { severity, findings }: AlertCase,
  { marks }: MonitoringInput,
): Readonly<Record<string, string>> {
  const named = findingSeverities.find((one) => one === findings?.severity)
  const { severities, labels } = marks
  return { severity: (named && severities[named]) ?? severities[severity] ?? severity, ...labels }
}

export function annotationsOf(
  { name, summary, description, dashboard, part, whileDown }: Alert,
  condition: AlertCase,
  { links, marks }: MonitoringInput,
  queried: QueriedTexts,
): Readonly<Record<string, string>> {
  const runbooks = whileDown === true ? links.runbooksWhileDown : links.runbooks
  const textOf = (text: AlertText) => (typeof text === 'string' ? text : text(condition, queried))
  return {
    summary: textOf(summary),
    description: textOf(description),
    ...(runbooks !== null && { runbook_url: runbooks.replace('{name}', () => name) }),
    ...(links.grafana !== null && {
      dashboard_url: `${links.grafana}/d/${dashboardUid(dashboard)}{{ with $labels.tenant }}?var-tenant={{ . }}{{ end }}`,
    }),
    ...(links.page !== null && whileDown !== true && { page_url: `${links.page}/${shown(part)}` }),
    ...marks.annotations,
  }
}

/** Link to a part of the tenant's page, filtered by the check or API client of the alert if it has one. */
function shown(part: Alert['part']): string {
  const query = part === undefined ? ofCheckOrClient : ''
  return `{{ with $labels.tenant }}?tenant={{ . }}${query}#${part ?? 'findings'}-{{ . }}{{ end }}`
}

const ofCheckOrClient =
  '{{ with $labels.check }}&check={{ . }}{{ end }}{{ with $labels.client_id }}{{ if not (match "^sha256:" .) }}&q={{ . }}{{ end }}{{ end }}'

function writeGroup({ name, why, rules }: Group): string {
  const body = stringify([{ name, rules }], { lineWidth: 0, blockQuote: 'literal' })
  return shifted(`# ${why}\n${body.trimEnd()}`, 2)
}

function shifted(text: string, spaces: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces))
}
