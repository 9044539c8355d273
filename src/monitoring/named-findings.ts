import type { Severity } from '../model/severity.ts'
import { foundByName } from './recording.ts'

/** Limit of ids in a title. */
const maxInTitle = 3

/** Findings of one severity of a check of the alert's tenant. */
export interface NamedFindings {
  /** Its id, or `{{ $labels.check }}` where the alert is about several checks. */
  readonly check: string
  readonly severity: Severity
}

/** The first ids in brackets, for a title, as a template of Prometheus; nothing where none is known. */
export function idsInTitle(findings: NamedFindings | undefined): string {
  if (findings === undefined) return ''
  const id = '{{ label "entity_type" $f }} {{ or (label "entity_id" $f) (label "fingerprint" $f) }}'
  const ids = `{{ range $i, $f := $found }}{{ if lt $i ${maxInTitle} }}{{ if $i }}, {{ end }}${id}{{ end }}{{ end }}`
  return `${search(findings)}{{ if $found }} (${ids}{{ if gt $value ${maxInTitle}.0 }}, …{{ end }}){{ end }}`
}

/** How many there are, and which, with their fingerprints; then where to find the others. */
export function whichTheyAre(findings: NamedFindings | undefined): string {
  if (findings === undefined) return ''
  const { check, severity } = findings
  const each =
    '{{ label "entity_type" $f }}{{ with label "entity_id" $f }} {{ . }}{{ end }} ({{ label "fingerprint" $f }})'
  const others = '{{ if ne (printf "%d" (len $found)) (printf "%.0f" $value) }}, and others{{ end }}'
  const which = `{{ if $found }}, namely {{ range $i, $f := $found }}{{ if $i }}, {{ end }}${each}{{ end }}${others}{{ end }}`
  const where = `\`tenantwatch findings --tenant {{ $labels.tenant }} --check ${check}\` lists all, \`tenantwatch explain FINGERPRINT\` explains one.`
  return `${search(findings)}Open findings of severity ${severity} of check ${check} in tenant {{ $labels.tenant }}: {{ $value }}${which}. ${where}`
}

/** Finds them by name, always in the same order; \`%q\` quotes as PromQL does. */
function search({ check, severity }: NamedFindings): string {
  const [value, argument] = check.startsWith('{{') ? ['%q', ' $labels.check'] : [`"${check}"`, '']
  const selector = `${foundByName}{tenant=%q,check=${value},severity="${severity}"}`
  const found = `query (printf \`${selector}\` $labels.tenant${argument})`
  return `{{ $found := ${found} | sortByLabel "fingerprint" | sortByLabel "entity_id" }}`
}
