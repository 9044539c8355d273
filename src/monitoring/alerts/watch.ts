import type { Alert, AlertGroup } from '../alert.ts'
import { lastKnownFor, unlessAlive } from '../promql.ts'

export const watchdogAlerts: AlertGroup = {
  name: 'tenantwatch-watchdog',
  why: 'Fires always: what receives it proves that alerts arrive, and can warn when it stops.',
  alerts: () => [
    {
      name: 'TenantwatchWatchdog',
      summary: 'Alerting works',
      description: 'Meant to fire at all times.',
      dashboard: 'operations',
      cases: () => [{ severity: 'none', expr: 'vector(1)' }],
    },
  ],
}

/** Series without which other rules would never fire: were one of them missing, silence would look like health. */
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
    summary: 'No tenantwatch answers scrapes',
    description:
      'Nothing is watched. This also fires when the target vanished from discovery; every other alert is blind until it ends.',
    dashboard: 'operations',
    cases: ({ job }) => [{ severity: 'critical', for: '5m', expr: `absent(up{job="${job}"} == 1)` }],
  },
  {
    name: 'TenantwatchInstanceDown',
    summary: 'tenantwatch at {{ $labels.instance }} does not answer scrapes',
    description:
      'What {{ $labels.instance }} watches is not watched while another may look well; its open findings stand as they were.',
    dashboard: 'operations',
    cases: ({ job }) => [{ severity: 'critical', for: '5m', expr: `up{job="${job}"} != 1` }],
  },
  {
    name: 'TenantwatchMetricsMissing',
    summary: 'tenantwatch answers, but its series are missing',
    description:
      'Rules over series that do not exist never fire. Something else answers on the port, series are dropped by relabelling, or no tenant is configured.',
    dashboard: 'operations',
    cases: ({ job }) => [
      {
        severity: 'critical',
        for: '10m',
        expr: [
          'group(',
          ...vital.map((metric, index) => `  ${index === 0 ? '' : 'or '}absent(${metric})`),
          `  or (up{job="${job}"} == 1 ${unlessAlive})`,
          ')',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'TenantwatchTenantGone',
    summary: 'Tenant {{ $labels.tenant }} is no longer watched',
    description:
      'Series of {{ $labels.tenant }} existed before. It was taken out of the configuration, or the daemon that watched it is gone.',
    dashboard: 'fleet',
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
    name: 'TenantwatchConfigReloadFailed',
    summary: 'The last reload of the configuration of {{ $labels.instance }} failed',
    description:
      'The last good configuration of {{ $labels.instance }} stays in force; what was meant to change did not.',
    dashboard: 'operations',
    cases: () => [{ severity: 'warning', for: '5m', expr: 'tenantwatch_config_last_reload_successful != 1' }],
  },
  {
    name: 'TenantwatchEvaluationStalled',
    summary: 'Check {{ $labels.check }} of {{ $labels.tenant }} is not evaluated',
    description:
      'The last evaluation of {{ $labels.check }} for {{ $labels.tenant }} is too long ago, or there was none.',
    dashboard: 'operations',
    cases: ({ evaluationStalledSeconds }) => [
      {
        severity: 'critical',
        for: '10m',
        expr: [
          `(time() - tenantwatch_check_last_evaluation_timestamp_seconds > ${evaluationStalledSeconds})`,
          'and on (tenant, check) (tenantwatch_check_enabled != 0)',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'TenantwatchClockWrong',
    summary: 'The clocks of {{ $labels.tenant }} and of this machine differ',
    description:
      'Checks of {{ $labels.tenant }} that compare times cannot pass while the clocks differ by more than 5 minutes.',
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
  why: 'Whether the watch itself can be believed: while one of these fires, silence of the others means little.',
  alerts: () => alerts,
}
