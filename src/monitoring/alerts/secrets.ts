import type { Alert, AlertCase, AlertGroup } from '../alert.ts'
import type { AlertSeverity, MonitoringInput } from '../monitoring.ts'
import { series } from '../promql.ts'

const daySeconds = 86_400
const expiry = 'tenant_client:tenantwatch_api_client_secret_expiration_timestamp_seconds:last_known'
const ownExpiry = 'tenant:tenantwatch_own_client_secret_expiration_timestamp_seconds:last_known'
const waivedUntil = 'tenant_client_check:tenantwatch_api_client_secret_waived_until_timestamp_seconds:last_known'
/** A waived secret has no alerts; a waiver that it expires soon does not accept that it has expired. */
const unlessWaived = (matcher: string) => `unless on (tenant, client_id) ${series(waivedUntil, matcher)} >= time()`
/** A tenant with the check switched off has no alerts. */
const unlessOff = (check: string) =>
  `unless on (tenant) tenant_check:tenantwatch_check_enabled:last_known{check="${check}"} == 0`
const expiring = 'api-client-secret-not-expiring'
const expired = 'api-client-secret-not-expired'
const client = 'API client {{ $labels.client_id }} of {{ $labels.tenant }}'
const secret = `The secret of ${client}`
/** The earlier alerts keep firing after the expiry. */
const expires = '{{ if gt $value 0.0 }}expires in {{ $value | humanizeDuration }}{{ else }}has expired{{ end }}'

/**
 * The alerts before the expiry of a secret, the mildest first. An earlier one keeps firing when the next one fires, so
 * that none resolves before the secret is replaced; by inhibition only the most urgent one notifies.
 */
export const secretLadder: readonly Alert[] = [
  {
    name: 'TenantwatchSecretExpiryNear',
    summary: `${secret} ${expires}`,
    description: `Plan the rotation of the secret of ${client}.`,
    dashboard: 'posture',
    cases: (input) => rung(input, 'info', expiring, ({ near }) => near),
  },
  {
    name: 'TenantwatchSecretExpiryImminent',
    summary: `${secret} ${expires}`,
    description: `Create a new secret for ${client} in the portal and give it to the integration that uses the client.`,
    dashboard: 'posture',
    cases: (input) => rung(input, 'warning', expiring, ({ imminent }) => imminent),
  },
  {
    name: 'TenantwatchSecretExpiryLastDay',
    summary: `${secret} ${expires}`,
    description: `The integration that uses ${client} stops working within a day: create a new secret now.`,
    dashboard: 'posture',
    cases: (input) => rung(input, 'critical', expiring, () => 1),
  },
  {
    name: 'TenantwatchSecretExpired',
    summary: `${secret} has expired`,
    description: `The integration that uses ${client} no longer works. If the client is unused, remove it.`,
    dashboard: 'posture',
    cases: (input) => rung(input, 'critical', expired, () => 0),
  },
]

const own: Alert = {
  name: 'TenantwatchOwnSecretExpires',
  summary: `The secret of tenantwatch's own API client of {{ $labels.tenant }} ${expires}`,
  description:
    'Without a new secret, monitoring of {{ $labels.tenant }} stops: every check of the tenant becomes unknown.',
  dashboard: 'posture',
  cases: () => [
    { severity: 'warning', expr: `${ownExpiry} - time() <= ${30 * daySeconds}` },
    { severity: 'critical', expr: `${ownExpiry} - time() <= ${7 * daySeconds}` },
  ],
}

/** One rule covers all tenants, each with its own days: promtool reports rules of the same name and labels as duplicates. */
function rung(
  { secretDays }: MonitoringInput,
  severity: AlertSeverity,
  check: string,
  daysOf: (days: MonitoringInput['secretDays'][number]['value']) => number,
): readonly AlertCase[] {
  const isOneForAll = new Set(secretDays.map(({ value }) => daysOf(value))).size === 1
  const thresholds = isOneForAll ? secretDays.slice(0, 1).map(({ value }) => ({ value, matcher: '' })) : secretDays
  const reached = thresholds.map(
    ({ value, matcher }) => `(${series(expiry, matcher)} - time() <= ${daysOf(value) * daySeconds})`,
  )
  const expr = reached.length > 1 ? `(\n  ${reached.join('\n  or ')}\n)` : reached.join('')
  const waived = unlessWaived(check === expired ? `check="${expired}"` : '')
  return [{ severity, expr: [expr, waived, unlessOff(check)].join('\n') }]
}

export const secretAlerts: AlertGroup = {
  name: 'tenantwatch-secrets',
  why: 'Expiring secrets. The rules use last known values, so that a stopped daemon resolves no alert.',
  alerts: () => [...secretLadder, own],
}
