import { type Severity, severities } from '../../model/severity.ts'
import type { Alert, AlertCase, AlertGroup } from '../alert.ts'
import { counted } from '../counted.ts'
import type { AlertSeverity, MonitoredCheck, MonitoringInput } from '../monitoring.ts'
import { bridged } from '../promql.ts'
import { openFindings } from '../recording.ts'

/** Alert severity and delay by finding severity; lower severities have no alert. */
const alertLevels: Readonly<Partial<Record<Severity, { readonly severity: AlertSeverity; readonly for?: string }>>> = {
  critical: { severity: 'critical' },
  high: { severity: 'warning', for: '15m' },
  medium: { severity: 'info', for: '1h' },
}

export const hasAlert = (severity: Severity) => alertLevels[severity] !== undefined

function conditions(possible: readonly Severity[], check: string, matcher: string): readonly AlertCase[] {
  return possible.toReversed().flatMap((severity) => {
    const level = alertLevels[severity]
    if (level === undefined) return []
    const expr = `sum by (tenant, check) (${openFindings}{${matcher},severity="${severity}"}) != 0`
    return [{ ...level, expr, findings: { check, severity } }]
  })
}

/** The alert of a check, built from its catalogue entry. Checks of expiring secrets have the secret alerts instead. */
function checkAlert({ id, alert, remediation, severities: possible }: MonitoredCheck): readonly Alert[] {
  if (alert === null) return []
  const failing = typeof alert.summary === 'string' ? alert.summary : counted(alert.summary)
  return [
    {
      name: `Tenantwatch${alert.name}`,
      summary: ({ findings }, { idsInTitle }) => `{{ $labels.tenant }}: ${failing}${idsInTitle(findings)}`,
      description: ({ findings }, { whichTheyAre }) => `${whichTheyAre(findings)} To do: ${remediation}`,
      dashboard: 'posture',
      cases: () => conditions(possible, id, `check="${id}"`),
    },
  ]
}

/**
 * Findings that no other rule covers: of own checks, of checks that are newer than the rules, and of severities that
 * were configured after the rules were written.
 */
function otherChecks({ checks }: MonitoringInput): Alert {
  const others = (severity: Severity) => {
    const expected = checks.filter((check) => check.alert === null || check.severities.includes(severity))
    return `check!~"${expected.map(({ id }) => id).join('|')}"`
  }
  return {
    name: 'TenantwatchOwnCheckFails',
    summary: ({ findings }, { idsInTitle }) =>
      `{{ $labels.tenant }}: check {{ $labels.check }} has ${counted({ one: 'open finding', other: 'open findings' })}${idsInTitle(findings)}`,
    description: ({ findings }, { whichTheyAre }) => `${whichTheyAre(findings)} It also shows what to do.`,
    dashboard: 'posture',
    cases: () => severities.toReversed().flatMap((one) => conditions([one], '{{ $labels.check }}', others(one))),
  }
}

const unknown: Alert = {
  name: 'TenantwatchCheckUnknown',
  summary: '{{ $labels.tenant }}: check {{ $labels.check }} cannot be evaluated',
  description: (_, { unknownReason }) =>
    `Compliance of {{ $labels.tenant }} with {{ $labels.check }} is unknown${unknownReason}. Open findings stay open. \`tenantwatch doctor\` shows which resources cannot be read, \`tenantwatch accept\` lists the holds; the runbook has a remedy for each reason.`,
  dashboard: 'posture',
  cases: () => [
    {
      severity: 'warning',
      for: '1h',
      // TenantwatchSyncNever covers a resource that was never read, and waits while a first full sync adds records.
      expr: bridged('tenant, check', (read) =>
        [
          `${read('tenantwatch_check_status{status="unknown"}')} != 0`,
          `and on (tenant, check) ${read('tenantwatch_check_enabled')} != 0`,
          `unless on (tenant, check) ${read('tenantwatch_check_unknown_reason{reason="never"}')} == 1`,
        ].join(' '),
      ),
    },
  ],
}

export const postureAlerts: AlertGroup = {
  name: 'tenantwatch-posture',
  why: 'Findings of the tenant, one alert per check. The rules use last known values, so that a stopped daemon resolves no alert.',
  alerts: (input: MonitoringInput) => [unknown, ...input.checks.flatMap(checkAlert), otherChecks(input)],
}
