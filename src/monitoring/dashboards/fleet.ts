import { curve, type DashboardSpec, neutral, noneIsBetter, noneIsGood, ofTenants } from './panel.ts'

const enabled = `and on (tenant, check) ${ofTenants('tenantwatch_check_enabled')} == 1`
const stale = `time() - ${ofTenants('tenantwatch_sync_last_success_timestamp_seconds', 'mode="full"')} > bool ${ofTenants('tenantwatch_sync_freshness_limit_seconds', 'mode="full"')}`
const expiry = ofTenants('tenantwatch_api_client_secret_expiration_timestamp_seconds')

/** A table with one number per tenant, the highest first. */
function ranking(title: string, description: string, expr: string, steps = noneIsBetter) {
  return {
    title,
    description,
    kind: 'table',
    queries: [{ expr }],
    unit: 'none',
    span: 8,
    columns: { tenant: 'Tenant', Value: title },
    sort: { by: title, descending: true },
    steps,
  } as const
}

export function fleet(): DashboardSpec {
  return {
    title: 'tenantwatch: fleet',
    description: 'All tenants side by side: data quality and findings.',
    from: 'now-7d',
    annotations: [],
    rows: [
      {
        title: 'Data quality',
        panels: [
          ranking(
            'Unknown checks',
            'Enabled checks that cannot be evaluated.',
            `sum by (tenant) (${ofTenants('tenantwatch_check_status', 'status="unknown"')} ${enabled})`,
            noneIsGood,
          ),
          ranking(
            'Stale resources',
            'Resources without a completed full sync within their freshness limit.',
            `sum by (tenant) (${stale})`,
            noneIsGood,
          ),
          ranking(
            'Holds',
            'Changes that the engine holds back until an operator accepts them or their cause is gone.',
            `sum by (tenant) (${ofTenants('tenantwatch_hold')})`,
            noneIsGood,
          ),
        ],
      },
      {
        title: 'Findings',
        panels: [
          ranking(
            'Critical and high',
            'Open findings of these severities, not waived.',
            `sum by (tenant) (${ofTenants('tenantwatch_findings', 'severity=~"critical|high"')})`,
            noneIsGood,
          ),
          ranking('All open', 'Open findings, not waived.', `sum by (tenant) (${ofTenants('tenantwatch_findings')})`),
          ranking(
            'Waived findings',
            'Open findings that a waiver accepts.',
            `sum by (tenant) (${ofTenants('tenantwatch_findings_waived')}) or sum by (tenant) (${ofTenants('tenantwatch_findings')}) * 0`,
            neutral,
          ),
        ],
      },
      {
        title: 'Over time',
        panels: [
          curve(
            'Passing checks',
            'Ratio of passing to enabled applicable checks; unknown counts as not passing.',
            'percentunit',
            ofTenants('tenant:tenantwatch_checks_passing:ratio'),
            '{{tenant}}',
            { max: 1, noValue: 'no check applies' },
          ),
          curve(
            'Next secret to expire',
            'Time until the first expiry of a secret in each tenant; negative means expired.',
            's',
            `min by (tenant) (${expiry}) - time()`,
            '{{tenant}}',
            { noValue: 'no API clients read' },
          ),
          curve(
            'Users',
            'Users in the mirror of each tenant.',
            'short',
            `sum by (tenant) (${ofTenants('tenantwatch_mirror_records', 'resource="users"')})`,
            '{{tenant}}',
            { noValue: 'no users read' },
          ),
          curve(
            'Requests',
            "Requests per second to each tenant's API.",
            'reqps',
            `sum by (tenant) (rate(${ofTenants('tenantwatch_api_requests_total')}[$__rate_interval]))`,
            '{{tenant}}',
          ),
        ],
      },
    ],
  }
}
