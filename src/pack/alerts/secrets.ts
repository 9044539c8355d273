import type { Alert, AlertCase, AlertGroup, AlertSeverity } from '../alert.ts'
import type { Pack } from '../pack.ts'
import { series } from '../promql.ts'

const daySeconds = 86_400
const expiry = 'tenant_client:tenantwatch_api_client_secret_expiration_timestamp_seconds:held'
const ownExpiry = 'tenant:tenantwatch_own_client_secret_expiration_timestamp_seconds:held'
/** An operator accepted it: then no rung of the ladder is climbed. */
const waived = 'unless on (tenant, client_id) tenant_client:tenantwatch_api_client_secret_waived:held == 1'
const client = 'The secret of API client {{ $labels.client_id }} of {{ $labels.tenant }}'

/**
 * The ladder of a secret's last days. A rung stays reached on the next one, so that nothing is reported as resolved
 * before the secret was replaced; inhibition leaves only the highest to be heard.
 */
export const secretLadder: readonly Alert[] = [
  {
    name: 'TenantwatchSecretExpiryNear',
    summary: `${client} expires in {{ $value | humanizeDuration }}`,
    description: 'Plan its rotation.',
    dashboard: 'posture',
    cases: (pack) => rungs(pack, 'info', ({ near }) => near),
  },
  {
    name: 'TenantwatchSecretExpiryImminent',
    summary: `${client} expires in {{ $value | humanizeDuration }}`,
    description: 'Create a new secret in the portal and hand it to what uses the client.',
    dashboard: 'posture',
    cases: (pack) => rungs(pack, 'warning', ({ imminent }) => imminent),
  },
  {
    name: 'TenantwatchSecretExpiryLastDay',
    summary: `${client} expires in {{ $value | humanizeDuration }}`,
    description: 'What uses the client stops working within a day: create a new secret now.',
    dashboard: 'posture',
    cases: (pack) => rungs(pack, 'critical', () => 1),
  },
  {
    name: 'TenantwatchSecretExpired',
    summary: `${client} has expired`,
    description: 'What uses it has stopped working, or the client is forgotten and should be removed.',
    dashboard: 'posture',
    cases: (pack) => rungs(pack, 'critical', () => 0),
  },
]

const own: Alert = {
  name: 'TenantwatchOwnSecretExpires',
  summary:
    'The secret that tenantwatch itself uses for {{ $labels.tenant }} expires in {{ $value | humanizeDuration }}',
  description: 'After that the watch is blind: every check of the tenant becomes unknown.',
  dashboard: 'posture',
  cases: () => [
    { severity: 'warning', expr: `${ownExpiry} - time() <= ${30 * daySeconds}` },
    { severity: 'critical', expr: `${ownExpiry} - time() <= ${7 * daySeconds}` },
  ],
}

/** One case for each group of tenants with thresholds of its own. */
function rungs(
  { secretDays }: Pack,
  severity: AlertSeverity,
  daysOf: (days: Pack['secretDays'][number]['value']) => number,
): readonly AlertCase[] {
  return secretDays.map(({ value, matcher }) => ({
    severity,
    expr: `(${series(expiry, matcher)} - time() <= ${daysOf(value) * daySeconds})\n${waived}`,
  }))
}

export const secretAlerts: AlertGroup = {
  name: 'tenantwatch-secrets',
  why: 'What runs out. Last values hold: the death of the daemon resolves none of it.',
  alerts: () => [...secretLadder, own],
}
