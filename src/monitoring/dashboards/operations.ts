import type { MonitoringInput } from '../monitoring.ts'
import { increaseFromFirst } from '../promql.ts'
import {
  colors,
  curve,
  type DashboardSpec,
  neutral,
  noneIsBetter,
  noneIsGood,
  number,
  ofTenants,
  type PanelSpec,
  type RowSpec,
  words,
} from './panel.ts'

const rate = (metric: string) => `rate(${metric}[$__rate_interval])`

function dayCount(title: string, description: string, expr: string, steps = noneIsBetter): PanelSpec {
  return { ...number(title, description, expr, steps), decimals: 0 }
}

const runs: RowSpec = {
  title: 'Runs',
  panels: [
    dayCount(
      'Failed runs, 24 h',
      'Sync runs that failed.',
      `sum(increase(${ofTenants('tenantwatch_sync_runs_total', 'outcome="failure"')}[1d]))`,
    ),
    dayCount(
      'Cursor resets, 24 h',
      'Stored cursors that the API refused.',
      `sum(increase(${ofTenants('tenantwatch_sync_cursor_resets_total')}[1d]))`,
    ),
    dayCount(
      'Retries, 24 h',
      'Requests that were sent again.',
      `sum(increase(${ofTenants('tenantwatch_api_retries_total')}[1d]))`,
    ),
    dayCount(
      'Contract events, 24 h',
      'Deviations of the API from its specification that lose no data.',
      `sum(increase(${ofTenants('tenantwatch_contract_events_total')}[1d]))`,
    ),
    dayCount(
      'Failing modes',
      'Incremental and full syncs whose last run failed, or that never ran.',
      `sum(${ofTenants('tenantwatch_sync_up')} == bool 0)`,
      noneIsGood,
    ),
    {
      ...number(
        'Largest clock skew',
        "The server's clock minus the daemon's; beyond 5 minutes, checks that compare times cannot pass.",
        `max(abs(${ofTenants('tenantwatch_api_clock_skew_seconds')}))`,
        colors('green', [60, 'orange'], [300, 'red']),
      ),
      unit: 's',
      noValue: 'no response yet',
    },
    curve(
      'Runs by outcome',
      'Finished sync runs per second.',
      'ops',
      `sum by (outcome) (${rate(ofTenants('tenantwatch_sync_runs_total'))})`,
      '{{outcome}}',
    ),
    curve(
      'Failures by reason',
      'Sync runs that failed in the last hour, by reason.',
      'none',
      `sum by (resource, reason) (${increaseFromFirst(ofTenants('tenantwatch_sync_failures_total'), '1h')})`,
      '{{resource}} {{reason}}',
    ),
    curve(
      'Duration of a run',
      'Mean over the last six hours, by resource and mode.',
      's',
      'sum by (resource, mode) (increase(tenantwatch_sync_duration_seconds_sum[6h])) / (sum by (resource, mode) (increase(tenantwatch_sync_duration_seconds_count[6h])) > 0)',
      '{{resource}} {{mode}}',
    ),
    curve(
      'Records by change',
      'Records added, changed or removed by runs, per second.',
      'ops',
      `sum by (change) (${rate(ofTenants('tenantwatch_sync_records_total'))})`,
      '{{change}}',
    ),
  ],
}

const requests: RowSpec = {
  title: "Requests to the tenants' API",
  panels: [
    {
      title: 'Requests and errors',
      description: 'Requests per second, and failed ones by class: HTTP status, or error when there was no response.',
      kind: 'time',
      queries: [
        { expr: `sum(${rate(ofTenants('tenantwatch_api_requests_total'))})`, legend: 'all' },
        { expr: `sum by (class) (${rate(ofTenants('tenantwatch_api_errors_total'))})`, legend: '{{class}}' },
      ],
      unit: 'reqps',
      span: 12,
    },
    curve(
      'Retries by reason',
      'Requests that were sent again.',
      'reqps',
      `sum by (reason) (${rate(ofTenants('tenantwatch_api_retries_total'))})`,
      '{{reason}}',
    ),
    curve(
      'Duration of a request',
      '95th percentile over the last hour, by path.',
      's',
      'histogram_quantile(0.95, sum by (endpoint, le) (increase(tenantwatch_api_request_duration_seconds_bucket[1h])))',
      '{{endpoint}}',
    ),
    curve(
      'Time since the last attempt',
      'Time since the last sync attempt of each resource.',
      's',
      `time() - max by (tenant, resource) (${ofTenants('tenantwatch_sync_last_attempt_timestamp_seconds')})`,
      '{{tenant}} {{resource}}',
    ),
  ],
}

function daemon({ job }: MonitoringInput): RowSpec {
  const own = (metric: string) => `${metric}{job="${job}"}`
  return {
    title: 'Mirror and process',
    panels: [
      curve(
        'Records in the mirror',
        'Live records by resource.',
        'short',
        `sum by (resource) (${ofTenants('tenantwatch_mirror_records')})`,
        '{{resource}}',
      ),
      curve(
        'Size of the database',
        'The file and its write-ahead log.',
        'bytes',
        `sum by (instance, file) (${own('tenantwatch_store_size_bytes')})`,
        '{{instance}} {{file}}',
      ),
      curve('Memory', 'Resident memory of the daemon.', 'bytes', own('process_resident_memory_bytes'), '{{instance}}'),
      curve(
        'CPU',
        'CPU seconds per second.',
        'percentunit',
        `rate(${own('process_cpu_seconds_total')}[$__rate_interval])`,
        '{{instance}}',
      ),
      curve(
        'Event loop delay',
        '99th percentile of the event loop delay.',
        's',
        own('nodejs_eventloop_lag_p99_seconds'),
        '{{instance}}',
      ),
      curve('Open files', 'File descriptors of the daemon.', 'none', own('process_open_fds'), '{{instance}}'),
      {
        title: 'Versions',
        description: 'Version of each instance, and the result of its last configuration reload.',
        kind: 'table',
        queries: [
          {
            expr: `${own('tenantwatch_build_info')} * on (job, instance) group_left () ${own('tenantwatch_config_last_reload_successful')}`,
          },
        ],
        unit: 'none',
        span: 24,
        height: 5,
        columns: { instance: 'Instance', version: 'Version', Value: 'Last reload' },
        words: words({ '0': ['failed', 'red'], '1': ['succeeded', 'green'] }),
        steps: neutral,
      },
    ],
  }
}

export function operations(input: MonitoringInput): DashboardSpec {
  return {
    title: 'tenantwatch: operations',
    description: 'Operation of the daemon: runs, requests, errors, mirror and process.',
    from: 'now-24h',
    annotations: [
      {
        name: 'Reload failed',
        expr: `tenantwatch_config_last_reload_successful{job="${input.job}"} == 0`,
        title: 'The last reload of {{instance}} failed',
        color: 'orange',
      },
    ],
    rows: [runs, requests, daemon(input)],
  }
}
