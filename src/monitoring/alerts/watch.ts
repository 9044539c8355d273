import type { Alert, AlertGroup } from '../alert.ts'
import { lastKnownFor, unlessAlive } from '../promql.ts'

export const watchdogAlerts: AlertGroup = {
  name: 'tenantwatch-watchdog',
  why: 'Always fires, so that its receiver can raise an alarm when alerts no longer arrive.',
  alerts: () => [
    {
      name: 'TenantwatchWatchdog',
      summary: 'Alerting works',
      description: 'This alert fires at all times.',
      dashboard: 'operations',
      cases: () => [{ severity: 'none', expr: 'vector(1)' }],
    },
  ],
}

/** Series that other rules depend on: while one is missing, those rules never fire. */
const vital = [
  'tenantwatch_check_enabled',
  'tenantwatch_check_status{status="unknown"}',
  'tenantwatch_findings',
  'tenantwatch_sync_freshness_limit_seconds',
  'tenantwatch_sync_last_success_timestamp_seconds',
] as const

const alerts: readonly Alert[] = [
  {
    name: 'TenantwatchDown',
    summary: 'No tenantwatch instance answers scrapes',
    description:
      'No tenant is monitored. Start the daemon again, or correct the scrape target: this alert also fires when the target disappears from service discovery. Until it resolves, the other alerts have no data.',
    dashboard: 'operations',
    whileDown: true,
    cases: ({ job }) => [{ severity: 'critical', for: '5m', expr: `absent(up{job="${job}"} == 1)` }],
  },
  {
    name: 'TenantwatchInstanceDown',
    summary: 'tenantwatch at {{ $labels.instance }} does not answer scrapes',
    description:
      '{{ $labels.instance }} is down. Its tenants are not monitored, unless another replica has taken them over; their open findings keep their last state. Start the daemon again; its log has the cause.',
    dashboard: 'operations',
    whileDown: true,
    cases: ({ job }) => [{ severity: 'critical', for: '5m', expr: `up{job="${job}"} != 1` }],
  },
  {
    name: 'TenantwatchMetricsMissing',
    summary: 'tenantwatch answers scrapes, but series are missing',
    description:
      'Rules over missing series never fire. Another program answers on the port, relabeling drops series, or every resource is switched off: correct the scrape target or the configuration.',
    dashboard: 'operations',
    whileDown: true,
    cases: ({ job }) => [
      {
        severity: 'critical',
        for: '10m',
        expr: [
          'group(',
          '  (',
          ...vital.map((metric, index) => `    ${index === 0 ? '' : 'or '}absent(${metric})`),
          `  ) and on () up{job="${job}"} == 1`,
          `  or (up{job="${job}"} == 1 ${unlessAlive})`,
          ')',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'TenantwatchTenantGone',
    summary: '{{ $labels.tenant }}: the tenant is no longer monitored',
    description:
      'Series of {{ $labels.tenant }} existed before. The tenant was removed from the configuration, or its daemon is down: put the tenant back, or start the daemon.',
    dashboard: 'fleet',
    whileDown: true,
    cases: () => [
      {
        severity: 'warning',
        for: '15m',
        expr: [
          'group by (tenant) (',
          '  last_over_time(tenantwatch_check_enabled[1h])',
          `  or (last_over_time(tenantwatch_check_enabled[${lastKnownFor}]) ${unlessAlive})`,
          ')',
          'unless group by (tenant) (tenantwatch_check_enabled)',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'TenantwatchTenantsUnowned',
    summary: '{{ $labels.tenant }}: no replica monitors the tenant',
    description:
      'Replicas of tenantwatch answer, but none of them owns {{ $labels.tenant }}. While the database cannot be reached, none owns any tenant: `tenantwatch doctor` checks it. Open findings keep their last state.',
    dashboard: 'fleet',
    cases: () => [{ severity: 'critical', for: '2m', expr: 'max by (tenant) (tenantwatch_tenant_owned) == 0' }],
  },
  {
    name: 'TenantwatchReplicaStale',
    summary: '{{ $labels.instance }}: the database confirms no heartbeat',
    description:
      '{{ $labels.instance }} owns no tenant until the database of `store.url` answers again; others take over. `tenantwatch doctor` on its machine names the fault.',
    dashboard: 'operations',
    cases: () => [
      { severity: 'warning', for: '1m', expr: 'time() - tenantwatch_replica_heartbeat_timestamp_seconds > 30' },
    ],
  },
  {
    name: 'TenantwatchConfigReloadFailed',
    summary: '{{ $labels.instance }}: the last reload of the configuration failed',
    description:
      '{{ $labels.instance }} keeps using its previous configuration; the change has no effect. `tenantwatch config check` names the mistakes: correct them and reload.',
    dashboard: 'operations',
    cases: () => [{ severity: 'warning', for: '5m', expr: 'tenantwatch_config_last_reload_successful != 1' }],
  },
  {
    name: 'TenantwatchEvaluationStalled',
    summary: '{{ $labels.tenant }}: at least one check is not evaluated',
    description:
      'The last evaluation of an enabled check of {{ $labels.tenant }} is too long ago, or the check was never evaluated. `/api/v1/checks` has the last evaluation of each; look in the log for `Scheduled job failed`, and restart the daemon if it hangs.',
    dashboard: 'operations',
    cases: ({ evaluationStalledSeconds }) => [
      {
        severity: 'critical',
        for: '10m',
        expr: `time() - tenantwatch_evaluation_last_timestamp_seconds > ${evaluationStalledSeconds}`,
      },
    ],
  },
  {
    name: 'TenantwatchClockWrong',
    summary: '{{ $labels.tenant }}: the clocks of the API and of the daemon differ',
    description:
      'Checks of {{ $labels.tenant }} that compare times cannot pass while the clocks differ by more than 5 minutes. `tenantwatch doctor` shows which clock is wrong: correct its time service.',
    dashboard: 'operations',
    cases: () => [
      {
        severity: 'warning',
        for: '15m',
        expr: [
          'abs(tenantwatch_api_clock_skew_seconds) > 300',
          'or tenantwatch_sync_last_success_timestamp_seconds > time() + 60',
        ].join('\n'),
      },
    ],
  },
]

export const watchAlerts: AlertGroup = {
  name: 'tenantwatch-watch',
  why: 'Health of the monitoring itself: while one of these alerts fires, the absence of other alerts proves nothing.',
  alerts: () => alerts,
}
