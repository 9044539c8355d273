import { type Severity, severities } from '../../model/severity.ts'
import type { Alert, AlertCase, AlertGroup, AlertSeverity } from '../alert.ts'
import { idsInTitle, whichTheyAre } from '../named-findings.ts'
import type { Pack, PackedCheck } from '../pack.ts'

/** How loud a finding is, and how long it must stand; milder ones are for the dashboards. */
const loudness: Readonly<Partial<Record<Severity, { readonly severity: AlertSeverity; readonly for?: string }>>> = {
  critical: { severity: 'critical' },
  high: { severity: 'warning', for: '15m' },
  medium: { severity: 'info', for: '1h' },
}

const openFindings = 'tenant_check_severity:tenantwatch_findings:held'

/** A condition for each severity that is loud. */
function conditions(possible: readonly Severity[], check: string, matcher: string): readonly AlertCase[] {
  return possible.toReversed().flatMap((severity) => {
    const loud = loudness[severity]
    if (loud === undefined) return []
    const expr = `sum by (tenant, check) (${openFindings}{${matcher},severity="${severity}"}) != 0`
    return [{ ...loud, expr, findings: { check, severity } }]
  })
}

/** The alert of a check, made of its own words. A check that is told per secret has the ladder instead. */
export function checkAlert({ id, alert, severities: possible }: PackedCheck): readonly Alert[] {
  if (alert === null) return []
  return [
    {
      name: `Tenantwatch${alert.name}`,
      summary: ({ findings }) => `${alert.says} of {{ $labels.tenant }}: {{ $value }}${idsInTitle(findings)}`,
      description: ({ findings }) => whichTheyAre(findings),
      dashboard: 'posture',
      cases: () => conditions(possible, id, `check="${id}"`),
    },
  ]
}

/** Findings of checks that the catalogue does not know: those of the operator, and any that is newer than the rules. */
function otherChecks({ checks }: Pack): Alert {
  const known = checks.map(({ id }) => id).join('|')
  return {
    name: 'TenantwatchOwnCheckFails',
    summary: ({ findings }) =>
      `Check {{ $labels.check }} of {{ $labels.tenant }} has open findings: {{ $value }}${idsInTitle(findings)}`,
    description: ({ findings }) => whichTheyAre(findings),
    dashboard: 'posture',
    cases: () => conditions(severities, '{{ $labels.check }}', `check!~"${known}"`),
  }
}

const unknownReason =
  'query (printf `tenantwatch_check_unknown_reason{tenant=%q,check=%q}` $labels.tenant $labels.check)'

const unknown: Alert = {
  name: 'TenantwatchCheckUnknown',
  summary: 'Check {{ $labels.check }} of {{ $labels.tenant }} cannot be judged',
  description: `It is not known whether {{ $labels.tenant }} complies with {{ $labels.check }}{{ with ${unknownReason} }}, for the reason {{ . | first | label "reason" }}{{ end }}. Open findings stay open.`,
  dashboard: 'posture',
  cases: () => [
    {
      severity: 'warning',
      for: '1h',
      expr: [
        '(tenantwatch_check_status{status="unknown"} != 0)',
        'and on (tenant, check) (tenantwatch_check_enabled != 0)',
      ].join('\n'),
    },
  ],
}

export const postureAlerts: AlertGroup = {
  name: 'tenantwatch-posture',
  why: 'What is wrong in the tenant, an alert a check. Last numbers hold: the death of the daemon resolves none of it.',
  alerts: (pack: Pack) => [unknown, ...pack.checks.flatMap(checkAlert), otherChecks(pack)],
}
