import type { MonitoringInput } from './monitoring.ts'
import { lastKnown } from './promql.ts'

export interface RecordingRule {
  readonly record: string
  readonly why: string
  readonly expr: (input: Pick<MonitoringInput, 'evaluationStalledSeconds'>) => string
}

export const foundByName = 'tenant_check_finding:tenantwatch_finding_info:last_known'

export const openFindings = 'tenant_check_severity:tenantwatch_findings:last_known'

/**
 * While the series are missing, the rule repeats its own last result: last_over_time on the scraped series would
 * include findings that were resolved before the daemon stopped. It stops when the recorded number of findings ends.
 */
const found = [
  'group by (tenant, check, severity, entity_type, entity_id, fingerprint) (tenantwatch_finding_info)',
  'or',
  '(',
  `  ${foundByName}`,
  `  and on (tenant, check, severity) (${openFindings} != 0)`,
  '  unless on (tenant) group by (tenant) (tenantwatch_check_enabled)',
  ')',
].join('\n')

function lastKnownRule(record: string, metric: string, labels: string, why: string): RecordingRule {
  return { record, why, expr: () => lastKnown(record, metric, labels) }
}

/** Recorded series: `level:metric:operations`, as the Prometheus documentation names them. */
export const recordings: readonly RecordingRule[] = [
  lastKnownRule(
    openFindings,
    'tenantwatch_findings',
    'tenant, check, severity',
    'Number of open findings; the last known one while the daemon exports none.',
  ),
  {
    record: foundByName,
    why: 'The first open findings of each check by name; the last known ones while the daemon exports none.',
    expr: () => found,
  },
  lastKnownRule(
    'tenant_check:tenantwatch_check_enabled:last_known',
    'tenantwatch_check_enabled{check=~"api-client-secret-not-expir(ed|ing)"}',
    'tenant, check',
    'Whether the checks of expiring secrets are enabled; the last known state while the daemon exports none.',
  ),
  // Must precede the rule of the expiry, so that no rule sees a waived secret as not waived.
  lastKnownRule(
    'tenant_client_check:tenantwatch_api_client_secret_waived_until_timestamp_seconds:last_known',
    'tenantwatch_api_client_secret_waived_until_timestamp_seconds',
    'tenant, client_id, check',
    'Until when the open finding of a secret is waived; the last known time while the daemon exports none.',
  ),
  lastKnownRule(
    'tenant_client:tenantwatch_api_client_secret_expiration_timestamp_seconds:last_known',
    'tenantwatch_api_client_secret_expiration_timestamp_seconds',
    'tenant, client_id',
    'Expiry of each secret; the last known one while the daemon exports none.',
  ),
  lastKnownRule(
    'tenant:tenantwatch_own_client_secret_expiration_timestamp_seconds:last_known',
    'tenantwatch_own_client_secret_expiration_timestamp_seconds',
    'tenant',
    "Expiry of the daemon's own secret; the last known one while the daemon exports none.",
  ),
  {
    record: 'tenant:tenantwatch_checks_passing:ratio',
    why: 'Ratio of passing to enabled applicable checks; unknown counts as not passing, and so does a pass that no evaluation confirmed lately.',
    // A metrics text file keeps every status after its last write.
    expr: ({ evaluationStalledSeconds }) =>
      [
        'sum by (tenant) (',
        '  tenantwatch_check_status{status="pass"}',
        '  * on (tenant) group_left ()',
        `  max by (tenant) (time() - tenantwatch_evaluation_last_timestamp_seconds <= bool ${evaluationStalledSeconds})`,
        '  and on (tenant, check) tenantwatch_check_enabled == 1',
        ')',
        '/',
        '(sum by (tenant) (tenantwatch_check_status{status!="not_applicable"} and on (tenant, check) tenantwatch_check_enabled == 1) > 0)',
      ].join('\n'),
  },
]
