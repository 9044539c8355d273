import { type Severity, severities } from '../../model/severity.ts'
import type { Alert, AlertGroup, AlertSeverity } from '../alert.ts'
import type { Pack, PackedCheck } from '../pack.ts'

/** How loud a finding is, and how long it must stand; milder ones are for the dashboards. */
const loudness: Readonly<Partial<Record<Severity, { readonly severity: AlertSeverity; readonly for?: string }>>> = {
  critical: { severity: 'critical' },
  high: { severity: 'warning', for: '15m' },
  medium: { severity: 'info', for: '1h' },
}

const findings = 'tenant_check_severity:tenantwatch_findings:held'

/** The alert of a check, made of its own words. A check that is told per secret has the ladder instead. */
export function checkAlert({ id, alert, severities: possible }: PackedCheck): readonly Alert[] {
  if (alert === null) return []
  return [
    {
      name: `Tenantwatch${alert.name}`,
      summary: `${alert.says} of {{ $labels.tenant }}: {{ $value }}`,
      description: `Findings of check ${id}: see \`tenantwatch findings --check ${id}\` and \`tenantwatch explain FINGERPRINT\`.`,
      dashboard: 'posture',
      cases: () =>
        possible.toReversed().flatMap((severity) => {
          const loud = loudness[severity]
          return loud === undefined
            ? []
            : [{ ...loud, expr: `sum by (tenant, check) (${findings}{check="${id}",severity="${severity}"}) != 0` }]
        }),
    },
  ]
}

/** Findings of checks that the catalogue does not know: those of the operator, and any that is newer than the rules. */
function otherChecks({ checks }: Pack): Alert {
  const known = checks.map(({ id }) => id).join('|')
  return {
    name: 'TenantwatchOwnCheckFails',
    summary: 'Check {{ $labels.check }} of {{ $labels.tenant }} has open findings: {{ $value }}',
    description: 'See `tenantwatch findings --check {{ $labels.check }}` and `tenantwatch explain FINGERPRINT`.',
    dashboard: 'posture',
    cases: () =>
      severities.toReversed().flatMap((severity) => {
        const loud = loudness[severity]
        const found = `${findings}{check!~"${known}",severity="${severity}"}`
        return loud === undefined ? [] : [{ ...loud, expr: `sum by (tenant, check) (${found}) != 0` }]
      }),
  }
}

const unknown: Alert = {
  name: 'TenantwatchCheckUnknown',
  summary: 'Check {{ $labels.check }} of {{ $labels.tenant }} cannot be judged',
  description:
    'Its reason is in tenantwatch_check_unknown_reason. It is not known whether the tenant complies; open findings stay open.',
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

const waiverEnds: Alert = {
  name: 'TenantwatchWaiverEnds',
  summary: 'Waiver {{ $labels.waiver }} of {{ $labels.tenant }} ends in {{ $value | humanizeDuration }}',
  description: 'Its findings of {{ $labels.check }} open again then: fix them, or accept them anew.',
  dashboard: 'posture',
  cases: () => [
    {
      severity: 'info',
      expr: [
        '(tenantwatch_waiver_expiration_timestamp_seconds - time() < 14 * 86400)',
        'and (tenantwatch_waiver_expiration_timestamp_seconds > time())',
      ].join('\n'),
    },
  ],
}

export const postureAlerts: AlertGroup = {
  name: 'tenantwatch-posture',
  why: 'What is wrong in the tenant, an alert a check. Last numbers hold: the death of the daemon resolves none of it.',
  alerts: (pack: Pack) => [unknown, ...pack.checks.flatMap(checkAlert), otherChecks(pack), waiverEnds],
}
