import { held } from './promql.ts'

export interface RecordingRule {
  readonly record: string
  /** What it is for, as a comment. */
  readonly why: string
  readonly expr: string
}

/** Recorded series: `level:metric:operations`, as the Prometheus documentation names them. */
export const recordings = [
  {
    record: 'tenant_check_severity:tenantwatch_findings:held',
    why: 'Open findings; the last known number while the daemon tells none.',
    expr: held('tenantwatch_findings', 'tenant, check, severity'),
  },
  {
    // Before the expiry: no rule may see a secret without knowing yet that it is waived.
    record: 'tenant_client:tenantwatch_api_client_secret_waived:held',
    why: 'Whether the open finding of a secret is waived; the last known answer while the daemon tells none.',
    expr: held('tenantwatch_api_client_secret_waived', 'tenant, client_id'),
  },
  {
    record: 'tenant_client:tenantwatch_api_client_secret_expiration_timestamp_seconds:held',
    why: 'Expiry of each secret; the last known one while the daemon tells none.',
    expr: held('tenantwatch_api_client_secret_expiration_timestamp_seconds', 'tenant, client_id'),
  },
  {
    record: 'tenant:tenantwatch_own_client_secret_expiration_timestamp_seconds:held',
    why: "Expiry of the daemon's own secret; the last known one while the daemon tells none.",
    expr: held('tenantwatch_own_client_secret_expiration_timestamp_seconds', 'tenant'),
  },
  {
    record: 'tenant:tenantwatch_checks_passing:ratio',
    why: 'Passing checks of all enabled ones that apply: what is unknown counts as not passing.',
    expr: [
      'sum by (tenant) (tenantwatch_check_status{status="pass"} and on (tenant, check) tenantwatch_check_enabled == 1)',
      '/',
      '(sum by (tenant) (tenantwatch_check_status{status!="not_applicable"} and on (tenant, check) tenantwatch_check_enabled == 1) > 0)',
    ].join('\n'),
  },
] as const satisfies readonly RecordingRule[]
