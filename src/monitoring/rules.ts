import { parse, stringify } from 'yaml'
import { type AlertSeverity, alertSeverities, defaultJob, shippedFile } from './shipped.ts'

export const ruleFormats = ['prometheus', 'operator', 'recording'] as const

export type RuleFormat = (typeof ruleFormats)[number]

/** What an installation puts into the shipped rules. */
export interface Installation {
  /** Value of the label `job` that Prometheus gives the daemon's scrapes. */
  readonly job: string
  readonly links: Links
  /** Labels and annotations of every alert. */
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly severities: SeverityLabels
}

export interface Links {
  /** Address of an alert's runbook, with {name} for the name of the alert; `shipped` keeps those of the rules; null = none. */
  readonly runbooks: string | null
  /** The same for alerts about a daemon that does not answer. */
  readonly runbooksWhileDown: string | null
  /** Grafana's address, without a trailing slash; null = no links to it. */
  readonly grafana: string | null
  /** The address of the status page, without a trailing slash; null = no links to it. */
  readonly page: string | null
  /** The address of an API client in the portal, with {clientId}; null = no links to it. */
  readonly portal: string | null
}

/** Replacements for values of the label `severity`. */
export type SeverityLabels = Readonly<Partial<Record<AlertSeverity, string>>>

/** A recording or an alert rule of a rule file. */
export interface Rule {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export interface RuleGroup {
  readonly name: string
  readonly rules: readonly Rule[]
}

export function shippedGroups(): readonly RuleGroup[] {
  return (parse(shippedFile('prometheus/rules.yml')) as { readonly groups: readonly RuleGroup[] }).groups
}

/**
 * The shipped rules for an installation as a Prometheus rule file, or as a PrometheusRule of its operator; `recording` =
 * without alerts.
 *
 * @param writtenBy the complete command that writes the file again.
 */
export function renderRules(installation: Installation, format: RuleFormat, writtenBy: string): string {
  const groups = shippedGroups()
    .filter(({ rules }) => format !== 'recording' || rules.some(({ record }) => record !== undefined))
    .map((group) => ({ ...group, rules: group.rules.map((rule) => installedRule(rule, installation)) }))
  const resource = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'tenantwatch', labels: { 'app.kubernetes.io/name': 'tenantwatch' } },
    spec: { groups },
  }
  const heading = `# Rules over the metrics of tenantwatch, for a scrape job named ${installation.job}. Written by: ${writtenBy}`
  return `${heading}\n${toYaml(format === 'operator' ? resource : { groups })}`
}

/** Expressions and texts stay whole lines, as in the shipped file. */
export function toYaml(value: object): string {
  return stringify(value, { lineWidth: 0, blockQuote: 'literal', aliasDuplicateObjects: false })
}

/** A shipped rule with what the installation puts into it. */
export function installedRule(rule: Rule, { job, links, labels, annotations, severities }: Installation): Rule {
  const expr = rule.expr.replaceAll(`job="${defaultJob}"`, () => `job="${job}"`)
  const { alert } = rule
  if (alert === undefined) return { ...rule, expr }
  const { runbook_url: shipped, ...texts } = rule.annotations ?? {}
  const severity = rule.labels?.['severity'] as AlertSeverity
  return {
    ...rule,
    expr,
    labels: { severity: severities[severity] ?? severity, ...labels },
    annotations: { ...texts, ...linksOf(alert, shipped, links), ...portalLink(texts, links), ...annotations },
  }
}

/** The daemon does not answer, or no longer has the tenant: it serves neither the runbook nor the tenant's page. */
const whileDown: readonly string[] = [
  'TenantwatchDown',
  'TenantwatchInstanceDown',
  'TenantwatchMetricsMissing',
  'TenantwatchTenantGone',
]

/** Links to the tenant's dashboard and page, which is filtered by the check or API client of the alert if it has one. */
function linksOf(alert: string, shipped = '', { runbooks, runbooksWhileDown, grafana, page }: Links) {
  const isDown = whileDown.includes(alert)
  const urls: Record<string, string> = {}
  const runbook = isDown ? runbooksWhileDown : runbooks
  if (runbook !== null) urls['runbook_url'] = runbook === 'shipped' ? shipped : runbook.replace('{name}', () => alert)
  if (grafana !== null)
    urls['dashboard_url'] =
      `${grafana}/d/tenantwatch-{{ with $labels.tenant }}posture?var-tenant={{ . }}{{ else }}operations{{ end }}`
  if (page !== null && !isDown)
    urls['page_url'] = `${page}/{{ with $labels.tenant }}?tenant={{ . }}${ofCheckOrClient}#tenant-{{ . }}{{ end }}`
  return urls
}

/** Alerts about one API client. An id that is no GUID may be a name. */
function portalLink({ summary = '' }: Readonly<Record<string, string>>, { portal }: Links) {
  if (portal === null || !summary.includes('$labels.client_id')) return {}
  const address = portal.replaceAll('{clientId}', '{{ . }}')
  return { portal_url: `{{ with $labels.client_id }}{{ if match "^[0-9a-f-]{36}$" . }}${address}{{ end }}{{ end }}` }
}

const ofCheckOrClient =
  '{{ with $labels.check }}&check={{ . }}{{ end }}{{ with $labels.client_id }}{{ if not (match "^sha256:" .) }}&q={{ . }}{{ end }}{{ end }}'

interface Inhibition {
  readonly source_matchers: readonly string[]
  readonly target_matchers: readonly string[]
  readonly equal: readonly string[]
}

/** The inhibition rules of the shipped Alertmanager configuration, for labels of an installation. */
export function renderInhibitions(severities: SeverityLabels): string {
  const { inhibit_rules: shipped } = parse(shippedFile('alertmanager/alertmanager.yml')) as {
    readonly inhibit_rules: readonly Inhibition[]
  }
  const relabelled = (matchers: readonly string[]) => matchers.map((matcher) => withLabels(matcher, severities))
  const rules = shipped.map((rule) => ({
    ...rule,
    source_matchers: relabelled(rule.source_matchers),
    target_matchers: relabelled(rule.target_matchers),
  }))
  return toYaml({ inhibit_rules: rules })
}

/** Alertmanager does not let alerts that match both sides inhibit each other, as where two severities have one label. */
function withLabels(matcher: string, severities: SeverityLabels): string {
  if (!matcher.startsWith('severity ')) return matcher
  return matcher.replace(anySeverity, (name) => severities[name as AlertSeverity] ?? name)
}

const anySeverity = new RegExp(`\\b(?:${alertSeverities.join('|')})\\b`, 'g')
