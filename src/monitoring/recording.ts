import { lastKnown } from './promql.ts'

export interface RecordingRule {
  readonly record: string
  /** What it is for, as a comment. */
  readonly why: string
  readonly expr: string
}

/** Which findings are open, by name; the texts of alerts list them. */
export const foundByName = 'tenant_check_finding:tenantwatch_finding_info:last_known'

/** How many findings are open. */
export const openFindings = 'tenant_check_severity:tenantwatch_findings:last_known'

/**
 * While nobody tells, what the rule itself recorded last: a look back into the scrapes would bring up findings again that
 * were fixed before the daemon died. It ends with the number that it belongs to.
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

/** Recorded series: `level:metric:operations`, as the Prometheus documentation names them. */
export const recordings = [
  {
    record: openFindings,
    why: 'Open findings; the last known number while the daemon tells none.',
    expr: lastKnown('tenantwatch_findings', 'tenant, check, severity'),
  },
  {
    record: foundByName,
    why: 'The first of the open findings of each check, by name; those of the last known number while the daemon tells none.',
    expr: found,
  },
  {
    record: 'tenant_check:tenantwatch_check_enabled:last_known',
    why: 'Whether the checks of expiring secrets are on; the last known answer while the daemon tells none.',
    expr: lastKnown('tenantwatch_check_enabled{check=~"api-client-secret-not-expir(ed|ing)"}', 'tenant, check'),
  },
  {
    // Before the expiry: no rule may see a secret without knowing yet that it is waived.
    record: 'tenant_client:tenantwatch_api_client_secret_waived:last_known',
    why: 'Whether the open finding of a secret is waived; the last known answer while the daemon tells none.',
    expr: lastKnown('tenantwatch_api_client_secret_waived', 'tenant, client_id'),
  },
  {
    record: 'tenant_client:tenantwatch_api_client_secret_expiration_timestamp_seconds:last_known',
    why: 'Expiry of each secret; the last known one while the daemon tells none.',
    expr: lastKnown('tenantwatch_api_client_secret_expiration_timestamp_seconds', 'tenant, client_id'),
  },
  {
    record: 'tenant:tenantwatch_own_client_secret_expiration_timestamp_seconds:last_known',
    why: "Expiry of the daemon's own secret; the last known one while the daemon tells none.",
    expr: lastKnown('tenantwatch_own_client_secret_expiration_timestamp_seconds', 'tenant'),
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
