import { refusals } from '../../model/reasons.ts'
import type { Alert, AlertGroup } from '../alert.ts'
import { counted } from '../counted.ts'
import { bridged } from '../promql.ts'

const byResource = 'tenant, resource'

/**
 * Excludes a resource whose first full sync is under way and adds records, because that may take hours. A full sync that
 * stalls, or that restarts again and again, adds none.
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

const contractEvents = 'tenantwatch_contract_events_total'
const refused = `tenantwatch_sync_failures_total{reason=~"${refusals.join('|')}"}`
/** A process younger than three hours: the values of its counters equal their increase in that time. */
const young = '(time() - process_start_time_seconds < 3 * 3600)'

/** The part on hold, in words instead of `all`. */
const heldPart =
  '{{ if eq $labels.resource "all" }}the whole tenant{{ else }}the list of {{ $labels.resource }}{{ end }}'
const heldBecause =
  '{{ if eq $labels.reason "tenant_changed" }}the data may be that of another tenant{{ else if eq $labels.reason "suspect_empty" }}the list came back empty or without permissions{{ else }}records are gone, and their removal needs a decision{{ end }}'
const tenantChanged =
  '{{ if eq $labels.resource "all" }}Nothing of {{ $labels.tenant }} is stored, and every check of it is unknown.{{ else }}Checks over {{ $labels.resource }} of {{ $labels.tenant }} are unknown.{{ end }} The usual cause is a wrong token: check the token first (`tenantwatch doctor`), and accept nothing before.'
const removalsHeld =
  'The engine removes nothing of {{ $labels.resource }} of {{ $labels.tenant }} until an operator accepts the change or its cause is gone. Compare its records (`tenantwatch accept HOLD --list`) with the portal of the tenant before you accept it.'

const alerts: readonly Alert[] = [
  {
    name: 'TenantwatchSyncStale',
    summary: '{{ $labels.tenant }}: the mirror of {{ $labels.resource }} is stale',
    description:
      'No full sync of {{ $labels.resource }} of {{ $labels.tenant }} completed within the freshness limit. Checks over it are unknown; their findings stay open. `tenantwatch doctor` shows why it cannot be read.',
    dashboard: 'posture',
    part: 'data',
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
      'Every check that reads {{ $labels.resource }} of {{ $labels.tenant }} is unknown. `tenantwatch doctor` shows whether it can be read. While a first full sync adds records, this alert waits for up to a day.',
    dashboard: 'posture',
    part: 'data',
    cases: () => [
      { severity: 'warning', for: '1d', expr: neverRead },
      { severity: 'critical', for: '1h', expr: `${neverRead}\n${unlessFirstFullSyncAdvances}` },
    ],
  },
  {
    name: 'TenantwatchSyncFailing',
    summary: '{{ $labels.tenant }}: the {{ $labels.mode }} sync of {{ $labels.resource }} fails',
    description:
      'The mirror of {{ $labels.resource }} of {{ $labels.tenant }} is not kept up to date by {{ $labels.mode }} syncs. `tenantwatch doctor` tries each endpoint and names the cause; the status page and the log have the reason of the last run.',
    dashboard: 'operations',
    part: 'data',
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
    summary: '{{ $labels.tenant }}: access to {{ $labels.resource }} is refused',
    description:
      'The token of {{ $labels.tenant }} is invalid, or its API client may no longer read {{ $labels.resource }}. `tenantwatch doctor` names the permission: renew the token, or grant the permission to the API client.',
    dashboard: 'operations',
    part: 'data',
    cases: () => [
      {
        severity: 'warning',
        // Without the label `reason`, because the counters also contain earlier reasons. The gauge is 1 until the next
        // success. The counters end the alert when no run was refused for three hours, as while the tenant is
        // unreachable: the cause may be gone.
        expr: [
          '(',
          `  sum by (tenant, resource) (increase(${refused}[3h])) > 0`,
          // The first value of a counter includes refusals before the first scrape, for which Prometheus computes no
          // increase.
          `  or sum by (tenant, resource) (${refused} and on (job, instance) ${young}) > 0`,
          ')',
          'and on (tenant, resource) (tenantwatch_access_refused == 1)',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'TenantwatchHeld',
    summary: `{{ $labels.tenant }}: ${heldPart} is on hold: ${heldBecause} ({{ $labels.reason }})`,
    description: `{{ if eq $labels.reason "tenant_changed" }}${tenantChanged}{{ else }}${removalsHeld}{{ end }} \`tenantwatch accept\` lists the holds with their causes and the effect of accepting.`,
    dashboard: 'posture',
    part: 'holds',
    cases: () => [
      {
        severity: 'warning',
        expr: bridged('tenant, resource, reason', (read) => `${read('tenantwatch_hold')} != 0`),
      },
    ],
  },
  {
    name: 'TenantwatchQuarantine',
    summary: `{{ $labels.tenant }}: ${counted({
      one: 'record of {{ $labels.resource }} is quarantined',
      other: 'records of {{ $labels.resource }} are quarantined',
    })}`,
    description:
      'Checks over {{ $labels.resource }} of {{ $labels.tenant }} cannot pass until a full sync returns valid versions of these records or their removal is confirmed. `tenantwatch doctor --quarantine` lists the records and what is wrong: correct them in the portal.',
    dashboard: 'posture',
    part: 'data',
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
    summary:
      '{{ $labels.tenant }}: the API deviates from its specification: {{ $labels.kind }} in {{ $labels.resource }}',
    description:
      'The log names the fields of {{ $labels.resource }} of {{ $labels.tenant }} that deviate. For an unknown status or state it also has the value and the key of the configuration to add it to. The runbook explains {{ $labels.kind }} and how to accept a new value. A new field changes nothing, a date without an offset may be hours off.',
    dashboard: 'operations',
    part: 'data',
    cases: () => [
      {
        severity: 'info',
        expr: `sum by (tenant, resource, kind) (
  increase(${contractEvents}[1h]) > 0
  or (${contractEvents} unless ${contractEvents} offset 1h) > 0
)`,
      },
    ],
  },
]

export const syncAlerts: AlertGroup = {
  name: 'tenantwatch-sync',
  why: 'Whether the mirror is up to date with the tenant.',
  alerts: () => alerts,
}
