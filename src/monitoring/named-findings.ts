import type { Severity } from '../model/severity.ts'
import { valueCount } from './counted.ts'
import { foundByName } from './recording.ts'

/** Limit of ids in a title. */
const maxInTitle = 3

/** Findings of one severity of a check of the alert's tenant. */
export interface NamedFindings {
  /** Id of the check, or `{{ $labels.check }}` when the alert covers several checks. */
  readonly check: string
  readonly severity: Severity
}

/** Parts of texts that query metrics. */
export interface QueriedTexts {
  readonly idsInTitle: (findings: NamedFindings | undefined) => string
  readonly whichTheyAre: (findings: NamedFindings | undefined) => string
  /** The reason in parentheses, after a space. */
  readonly unknownReason: string
  /** The name of the alert's API client and a space; empty if unknown. */
  readonly clientName: string
}

/** For use within `with` of the id. The id of a tenant's settings is their type. */
const typed = '{{ if ne . (label "entity_type" $f) }}{{ label "entity_type" $f }} {{ end }}{{ . }}'

/** The first ids in parentheses, for a title, as a Prometheus template; empty when no id is known. */
function idsInTitle(findings: NamedFindings | undefined): string {
  if (findings === undefined) return ''
  const id = `{{ with label "entity_id" $f }}${typed}{{ else }}finding ${fingerprint}{{ end }}`
  const ids = `{{ range $i, $f := $found }}{{ if lt $i ${maxInTitle} }}{{ if $i }}, {{ end }}${id}{{ end }}{{ end }}`
  return `${search(findings)}{{ if $found }} (${ids}{{ if gt $value ${maxInTitle}.0 }}, …{{ end }}){{ end }}`
}

/** As short as in `tenantwatch findings`. */
const fingerprint = '{{ printf "%.12s" (label "fingerprint" $f) }}'

/** The number of findings, the named ones with their fingerprints, and the commands that list and explain them. */
function whichTheyAre(findings: NamedFindings | undefined): string {
  if (findings === undefined) return ''
  const each = `{{ with label "entity_id" $f }}${typed}{{ else }}{{ label "entity_type" $f }}{{ end }} (${fingerprint})`
  const others = '{{ if ne (printf "%d" (len $found)) (printf "%.0f" $value) }}, and others{{ end }}'
  const which = `{{ if $found }}, namely {{ range $i, $f := $found }}{{ if $i }}, {{ end }}${each}{{ end }}${others}{{ end }}`
  return `${search(findings)}${howMany(findings)}${which}. ${where(findings)}`
}

function howMany({ check, severity }: NamedFindings): string {
  return `Open findings of severity ${severity} of check ${check} in tenant {{ $labels.tenant }}: ${valueCount}`
}

function where({ check }: NamedFindings): string {
  return `\`tenantwatch findings --tenant {{ $labels.tenant }} --check ${check}\` lists all, \`tenantwatch explain FINGERPRINT\` explains one.`
}

/** Queries the named findings in a stable order; `%q` quotes as PromQL does. */
function search({ check, severity }: NamedFindings): string {
  const [value, argument] = check.startsWith('{{') ? ['%q', ' $labels.check'] : [`"${check}"`, '']
  const selector = `${foundByName}{tenant=%q,check=${value},severity="${severity}"}`
  const found = `query (printf \`${selector}\` $labels.tenant${argument})`
  return `{{ $found := ${found} | sortByLabel "fingerprint" | sortByLabel "entity_id" }}`
}

const unknownReason =
  'query (printf `tenantwatch_check_unknown_reason{tenant=%q,check=%q}` $labels.tenant $labels.check)'

const clientInfo =
  'query (printf `last_over_time(tenantwatch_api_client_info{tenant=%q,client_id=%q}[1h])` $labels.tenant $labels.client_id)'

/** For Prometheus, whose templates can query metrics. */
export const prometheusTexts: QueriedTexts = {
  idsInTitle,
  whichTheyAre,
  unknownReason: `{{ with ${unknownReason} }} (reason: {{ . | first | label "reason" }}){{ end }}`,
  clientName: `{{ with ${clientInfo} }}{{ . | first | label "client_name" }} {{ end }}`,
}

/** For Grafana, whose templates cannot. */
export const grafanaTexts: QueriedTexts = {
  idsInTitle: () => '',
  whichTheyAre: (findings) => (findings === undefined ? '' : `${howMany(findings)}. ${where(findings)}`),
  unknownReason: '',
  clientName: '',
}
