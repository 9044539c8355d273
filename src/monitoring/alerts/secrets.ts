import type { Alert, AlertCase, AlertGroup, AlertText } from '../alert.ts'
import { daysUntil, inDays } from '../days-left.ts'
import type { AlertSeverity, MonitoringInput } from '../monitoring.ts'
import type { NamedFindings, QueriedTexts } from '../named-findings.ts'
import { series } from '../promql.ts'

const expiry = 'tenant_client:tenantwatch_api_client_secret_expiration_timestamp_seconds:last_known'
const ownExpiry = 'tenant:tenantwatch_own_client_secret_expiration_timestamp_seconds:last_known'
const waivedUntil = 'tenant_client_check:tenantwatch_api_client_secret_waived_until_timestamp_seconds:last_known'
/** A waived secret has no alerts. A waiver for a secret that expires soon does not cover its expiry. */
const unlessWaived = (matcher: string) => `unless on (tenant, client_id) ${series(waivedUntil, matcher)} >= time()`
/** A tenant with the check switched off has no alerts. */
const unlessOff = (check: string) =>
  `unless on (tenant) tenant_check:tenantwatch_check_enabled:last_known{check="${check}"} == 0`
const expiring = 'api-client-secret-not-expiring'
const expired = 'api-client-secret-not-expired'
const client = ({ clientName }: QueriedTexts) => `API client ${clientName}{{ $labels.client_id }}`
const secretOf =
  (state: string): AlertText =>
  (_, queried) =>
    `{{ $labels.tenant }}: the secret of ${client(queried)} ${state}`
const expiresIn = `expires ${inDays}`

/** Alerts about an expiring secret, the least severe first. Each begins where the last one ends. */
export const secretLadder: readonly Alert[] = [
  {
    name: 'TenantwatchSecretExpiryNear',
    summary: secretOf(expiresIn),
    description: (_, queried) => `Plan the rotation of the secret of ${client(queried)} of {{ $labels.tenant }}.`,
    dashboard: 'posture',
    cases: (input) =>
      rung(input, 'info', { check: expiring, severity: 'medium' }, ({ near, imminent }) => ({
        most: near,
        above: Math.max(1, imminent),
      })),
  },
  {
    name: 'TenantwatchSecretExpiryImminent',
    summary: secretOf(expiresIn),
    description: (_, queried) =>
      `Create a new secret for ${client(queried)} of {{ $labels.tenant }} in the portal and give it to the integration that uses the client.`,
    dashboard: 'posture',
    cases: (input) =>
      rung(input, 'warning', { check: expiring, severity: 'high' }, ({ imminent }) => ({ most: imminent, above: 1 })),
  },
  {
    name: 'TenantwatchSecretExpiryLastDay',
    summary: secretOf(expiresIn),
    description: (_, queried) =>
      `The integration that uses ${client(queried)} of {{ $labels.tenant }} stops working within a day: create a new secret now.`,
    dashboard: 'posture',
    // More severe than its finding, which is high.
    cases: (input) => rung(input, 'critical', { check: expiring, severity: 'critical' }, () => ({ most: 1, above: 0 })),
  },
  {
    name: 'TenantwatchSecretExpired',
    summary: secretOf('has expired'),
    description: (_, queried) =>
      `The integration that uses ${client(queried)} of {{ $labels.tenant }} no longer works: create a new secret, or delete the client if nothing uses it.`,
    dashboard: 'posture',
    cases: (input) => rung(input, 'critical', { check: expired, severity: 'critical' }, () => ({ most: 0 })),
  },
]

const own: Alert = {
  name: 'TenantwatchOwnSecretExpires',
  summary: `{{ $labels.tenant }}: the secret of tenantwatch's own API client {{ if gt $value 0.0 }}${expiresIn}{{ else }}has expired{{ end }}`,
  description:
    'Without a new secret, monitoring of {{ $labels.tenant }} stops: every check of the tenant becomes unknown. Create a new secret in the portal and replace the one that the configuration names.',
  dashboard: 'posture',
  part: 'secrets',
  cases: () => [
    { severity: 'warning', expr: `${daysUntil(ownExpiry)} <= 30 > 7` },
    { severity: 'critical', expr: `${daysUntil(ownExpiry)} <= 7` },
  ],
}

/** Days until the expiry. */
interface Range {
  readonly most: number
  /** Absent = also after the expiry. */
  readonly above?: number
}

/** One rule covers all tenants, each with its own days: promtool reports rules of the same name and labels as duplicates. */
function rung(
  { secretDays }: MonitoringInput,
  severity: AlertSeverity,
  findings: NamedFindings,
  rangeOf: (days: MonitoringInput['secretDays'][number]['value']) => Range,
): readonly AlertCase[] {
  const isOneForAll = new Set(secretDays.map(({ value }) => JSON.stringify(rangeOf(value)))).size === 1
  const thresholds = isOneForAll ? secretDays.slice(0, 1).map(({ value }) => ({ value, matcher: '' })) : secretDays
  const reached = thresholds.map(({ value, matcher }) => {
    const { most, above } = rangeOf(value)
    const least = above === undefined ? '' : ` > ${above}`
    return `(${daysUntil(series(expiry, matcher))} <= ${most}${least})`
  })
  const expr = reached.length > 1 ? `(\n  ${reached.join('\n  or ')}\n)` : reached.join('')
  const { check } = findings
  const waived = unlessWaived(check === expired ? `check="${expired}"` : '')
  return [{ severity, expr: [expr, waived, unlessOff(check)].join('\n'), findings }]
}

export const secretAlerts: AlertGroup = {
  name: 'tenantwatch-secrets',
  why: 'Expiring secrets. The rules use last known values, so that a stopped daemon resolves no alert.',
  alerts: () => [...secretLadder, own],
}
