import type { FamilyDefinition } from './family.ts'

const sinceStart = 'Counted since the daemon started.'

export const counters = [
  {
    name: 'tenantwatch_api_errors_total',
    help: `Failed requests to the tenant's API, each in one class: by HTTP status, by reason without a response, or other (protocol, redirect, too_large, stale_answer). ${sinceStart}`,
    labelNames: ['tenant', 'class'],
  },
  {
    name: 'tenantwatch_api_requests_total',
    help: `Requests to the tenant's API by path template and HTTP status, or by failure reason without a response. ${sinceStart}`,
    labelNames: ['tenant', 'endpoint', 'status'],
  },
  {
    name: 'tenantwatch_api_retries_total',
    help: `Retried requests to the tenant's API by reason of the failure. ${sinceStart}`,
    labelNames: ['tenant', 'reason'],
  },
  {
    name: 'tenantwatch_contract_events_total',
    help: `Deviations of the tenant's API from its specification that lose no data, counted once per field and run. ${sinceStart}`,
    labelNames: ['tenant', 'resource', 'kind'],
  },
  {
    name: 'tenantwatch_findings_opened_total',
    help: `Findings opened or reopened. ${sinceStart}`,
    labelNames: ['tenant', 'check'],
  },
  {
    name: 'tenantwatch_findings_resolved_total',
    help: `Findings resolved; the history has the resolution of each. ${sinceStart}`,
    labelNames: ['tenant', 'check'],
  },
  {
    name: 'tenantwatch_notifications_total',
    help: `Attempts to deliver a message to a target of notifications, by outcome. ${sinceStart}`,
    labelNames: ['target', 'outcome'],
  },
  {
    name: 'tenantwatch_secret_rotations_total',
    help: `API client secrets whose expiration moved to a later instant than the one read before. ${sinceStart}`,
    labelNames: ['tenant'],
  },
  {
    name: 'tenantwatch_sync_cursor_resets_total',
    help: `Stored cursors that the tenant's API refused. ${sinceStart}`,
    labelNames: ['tenant', 'resource'],
  },
  {
    name: 'tenantwatch_sync_failures_total',
    help: `Sync runs that failed, by reason. ${sinceStart}`,
    labelNames: ['tenant', 'resource', 'reason'],
  },
  {
    name: 'tenantwatch_sync_records_total',
    help: `Records that sync runs read or removed, by change in the mirror. ${sinceStart}`,
    labelNames: ['tenant', 'resource', 'change'],
  },
  {
    name: 'tenantwatch_sync_runs_total',
    help: `Sync runs that ended, by outcome. ${sinceStart}`,
    labelNames: ['tenant', 'resource', 'mode', 'outcome'],
  },
] as const satisfies readonly FamilyDefinition[]

export const histograms = [
  {
    name: 'tenantwatch_api_request_duration_seconds',
    help: `Time from sending a request to the tenant's API to the end of the response. ${sinceStart}`,
    labelNames: ['endpoint'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  {
    name: 'tenantwatch_sync_duration_seconds',
    help: `Duration of sync runs. ${sinceStart}`,
    labelNames: ['resource', 'mode'],
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14400],
  },
] as const satisfies readonly (FamilyDefinition & { readonly buckets: readonly number[] })[]

export type CounterName = (typeof counters)[number]['name']
export type CounterLabels<Name extends CounterName> = Readonly<
  Record<Extract<(typeof counters)[number], { readonly name: Name }>['labelNames'][number], string>
>
export type HistogramName = (typeof histograms)[number]['name']
