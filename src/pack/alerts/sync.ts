import type { Alert, AlertGroup } from '../alert.ts'
import { bridged } from '../promql.ts'

const alerts: readonly Alert[] = [
  {
    name: 'TenantwatchSyncStale',
    summary: 'The mirror of {{ $labels.resource }} of {{ $labels.tenant }} is stale',
    description: 'No complete sweep within its freshness limit. Checks over it are unknown; their findings stay open.',
    dashboard: 'posture',
    cases: () => [
      {
        severity: 'critical',
        for: '5m',
        expr: bridged(
          'tenant, resource',
          (read) =>
            `time() - (${read('tenantwatch_sync_last_success_timestamp_seconds{mode="sweep"}')} > 0) > ${read('tenantwatch_sync_freshness_limit_seconds{mode="sweep"}')}`,
        ),
      },
    ],
  },
  {
    name: 'TenantwatchSyncNever',
    summary: 'Of {{ $labels.resource }} of {{ $labels.tenant }} there was never a complete sweep',
    description:
      'No check over it can say anything. A first walk of a large tenant may take longer than the hour this waits.',
    dashboard: 'posture',
    cases: () => [
      {
        severity: 'critical',
        for: '1h',
        expr: 'tenantwatch_sync_last_success_timestamp_seconds{mode="sweep"} == 0',
      },
    ],
  },
  {
    name: 'TenantwatchSyncFailing',
    summary: 'The {{ $labels.mode }} of {{ $labels.resource }} of {{ $labels.tenant }} keeps failing',
    description: 'The reason is in tenantwatch_sync_failures_total, on the status page and in the log.',
    dashboard: 'operations',
    cases: () => [{ severity: 'warning', for: '30m', expr: 'tenantwatch_sync_up != 1' }],
  },
  {
    name: 'TenantwatchAccessRefused',
    summary: '{{ $labels.tenant }} refuses {{ $labels.resource }}: {{ $labels.reason }}',
    description: 'The token is dead, or its API client lost a permission; the status page names it.',
    dashboard: 'operations',
    cases: () => [
      {
        severity: 'warning',
        expr: [
          '(',
          '  sum by (tenant, resource, reason)',
          '    (increase(tenantwatch_sync_failures_total{reason=~"unauthorized|missing_permission"}[3h])) > 0',
          ')',
          'and on (tenant, resource) (tenantwatch_sync_up != 1)',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'TenantwatchHeld',
    summary: 'Something of {{ $labels.tenant }} is held: {{ $labels.resource }}, {{ $labels.reason }}',
    description:
      'The engine will not go on before an operator accepts it or its cause is gone: see `tenantwatch accept`.',
    dashboard: 'posture',
    cases: () => [
      {
        severity: 'warning',
        expr: bridged('tenant, resource, reason', (read) => `${read('tenantwatch_hold')} != 0`),
      },
    ],
  },
  {
    name: 'TenantwatchQuarantine',
    summary: '{{ $value }} records of {{ $labels.resource }} of {{ $labels.tenant }} cannot be trusted',
    description: 'Checks over them cannot pass before a complete walk shows them well or not at all.',
    dashboard: 'posture',
    cases: () => [{ severity: 'info', for: '1h', expr: 'tenantwatch_quarantined_records != 0' }],
  },
  {
    name: 'TenantwatchContractChanged',
    summary: 'The API of {{ $labels.tenant }} deviates from its contract: {{ $labels.kind }} in {{ $labels.resource }}',
    description: 'Nothing is lost yet; the log names the field.',
    dashboard: 'operations',
    cases: () => [
      {
        severity: 'info',
        expr: 'sum by (tenant, resource, kind) (increase(tenantwatch_contract_events_total[1h])) > 0',
      },
    ],
  },
]

export const syncAlerts: AlertGroup = {
  name: 'tenantwatch-sync',
  why: 'Whether the mirror follows the tenant.',
  alerts: () => alerts,
}
