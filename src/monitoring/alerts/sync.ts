import type { Alert, AlertGroup } from '../alert.ts'
import { bridged } from '../promql.ts'

const byResource = 'tenant, resource'

/**
 * Leaves out a resource that is being read for the first time, as long as records come in: that takes what it takes. A
 * full sync that stands still, or begins again again and again, brings none.
 */
const unlessFirstFullSyncAdvances = [
  'unless on (tenant, resource) (',
  '  max by (tenant, resource) (delta(tenantwatch_mirror_records[30m])) > 0',
  '  and on (tenant, resource) (tenantwatch_sync_last_success_timestamp_seconds{mode="full"} == 0)',
  ')',
].join('\n')

const neverRead = bridged(
  byResource,
  (read) => `${read('tenantwatch_sync_last_success_timestamp_seconds{mode="full"}')} == 0`,
)

const refusals = 'tenantwatch_sync_failures_total{reason=~"unauthorized|missing_permission"}'
/** A process that has not lived for three hours: what its counters show, they grew by within these. */
const young = '(time() - process_start_time_seconds < 3 * 3600)'

const alerts: readonly Alert[] = [
  {
    name: 'TenantwatchSyncStale',
    summary: 'The mirror of {{ $labels.resource }} of {{ $labels.tenant }} is stale',
    description:
      'No complete full sync of {{ $labels.resource }} of {{ $labels.tenant }} within the freshness limit. Checks over it are unknown; their findings stay open.',
    dashboard: 'posture',
    cases: () => [
      {
        severity: 'critical',
        for: '5m',
        expr: bridged(
          byResource,
          (read) =>
            `time() - (${read('tenantwatch_sync_last_success_timestamp_seconds{mode="full"}')} > 0) > ${read('tenantwatch_sync_freshness_limit_seconds{mode="full"}')}`,
        ),
      },
    ],
  },
  {
    name: 'TenantwatchSyncNever',
    summary: '{{ $labels.tenant }}: {{ $labels.resource }} has never completed a full sync',
    description:
      'Every check that reads {{ $labels.resource }} of {{ $labels.tenant }} is unknown. While a first full sync adds records, this alert waits for up to a day.',
    dashboard: 'posture',
    cases: () => [
      { severity: 'warning', for: '1d', expr: neverRead },
      { severity: 'critical', for: '1h', expr: `${neverRead}\n${unlessFirstFullSyncAdvances}` },
    ],
  },
  {
    name: 'TenantwatchSyncFailing',
    summary: 'The {{ $labels.mode }} of {{ $labels.resource }} of {{ $labels.tenant }} keeps failing',
    description:
      'Why the {{ $labels.mode }} of {{ $labels.resource }} of {{ $labels.tenant }} fails is in tenantwatch_sync_failures_total, on the status page and in the log.',
    dashboard: 'operations',
    cases: () => [
      {
        severity: 'warning',
        for: '30m',
        expr: [
          bridged(
            'tenant, resource, mode',
            (read) =>
              `${read('tenantwatch_sync_up')} != 1 unless ${read('tenantwatch_sync_last_attempt_timestamp_seconds')} == 0`,
          ),
          unlessFirstFullSyncAdvances,
        ].join('\n'),
      },
    ],
  },
  {
    name: 'TenantwatchAccessRefused',
    summary: '{{ $labels.tenant }} refuses {{ $labels.resource }}: {{ $labels.reason }}',
    description:
      'The token of {{ $labels.tenant }} is invalid, or its API client may no longer read {{ $labels.resource }}; the status page names the permission.',
    dashboard: 'operations',
    cases: () => [
      {
        severity: 'warning',
        expr: [
          '(',
          `  sum by (tenant, resource, reason) (increase(${refusals}[3h])) > 0`,
          // The first refusals may come before the first scrape: of a counter that begins with them Prometheus sees no increase.
          `  or sum by (tenant, resource, reason) (${refusals} and on (job, instance) ${young}) > 0`,
          ')',
          'and on (tenant, resource) (tenantwatch_sync_up != 1)',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'TenantwatchHeld',
    summary: '{{ $labels.tenant }}: {{ $labels.resource }} is on hold, {{ $labels.reason }}',
    description:
      'The engine holds back a change of {{ $labels.resource }} of {{ $labels.tenant }} until an operator accepts it or its cause is gone: see `tenantwatch accept`.',
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
    summary: '{{ $labels.tenant }}: {{ $value }} records of {{ $labels.resource }} are quarantined',
    description:
      'Checks over {{ $labels.resource }} of {{ $labels.tenant }} cannot pass before a full sync returns these records well or their removal is confirmed.',
    dashboard: 'posture',
    cases: () => [
      {
        severity: 'info',
        for: '1h',
        expr: bridged(byResource, (read) => `${read('tenantwatch_quarantined_records')} != 0`),
      },
    ],
  },
  {
    name: 'TenantwatchContractChanged',
    summary: 'The API of {{ $labels.tenant }} deviates from its contract: {{ $labels.kind }} in {{ $labels.resource }}',
    description: 'Nothing of {{ $labels.resource }} of {{ $labels.tenant }} is lost yet; the log names the field.',
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
