import type { TenantObserver } from '../api/reader.ts'
import type { ContractEventKind } from '../model/reading.ts'
import { type Reason, reasons, refusals } from '../model/reasons.ts'
import { type EndedRun, noCounts } from '../model/run-result.ts'
import type { CounterLabels, CounterName } from './counter-catalogue.ts'
import type { Counters } from './counters.ts'
import type { TenantSeriesConfig } from './tenant-facts.ts'

/** Classes of failed requests; `4xx` without 401 and 429. */
const errorClasses = ['401', '429', '4xx', '5xx', 'timeout', 'network', 'tls', 'other'] as const
const retryReasons = ['network', 'rate_limited', 'server_error', 'timeout'] as const satisfies readonly Reason[]
const recordChanges = Object.keys(noCounts) as (keyof typeof noCounts)[]
const outcomes = ['success', 'failure'] as const

/** Only this kind has a series from the start; the shipped rule also detects new series. */
const commonEvent = 'unknown_field' satisfies ContractEventKind

export interface MetricsEvents {
  syncRunEnded(run: Omit<EndedRun, 'message' | 'hint'>): void
  /** Adds to a counter; 0 initializes the series. */
  count<Name extends CounterName>(name: Name, labels: CounterLabels<Name>, amount: number): void
  observer(tenant: string): TenantObserver
}

export function createEvents(counters: Counters): MetricsEvents {
  return {
    syncRunEnded({ tenant, resource, mode, outcome, reason, durationMs, counts }) {
      counters.add('tenantwatch_sync_runs_total', { tenant, resource, mode, outcome }, 1)
      counters.observe('tenantwatch_sync_duration_seconds', { resource, mode }, durationMs / 1000)
      if (reason !== null) counters.add('tenantwatch_sync_failures_total', { tenant, resource, reason }, 1)
      for (const change of recordChanges)
        counters.add('tenantwatch_sync_records_total', { tenant, resource, change }, counts[change])
    },
    count: (name, labels, amount) => counters.add(name, labels, amount),
    observer: (tenant) => ({
      request(endpoint, status, durationSeconds) {
        counters.add('tenantwatch_api_requests_total', { tenant, endpoint, status: knownStatus(status) }, 1)
        counters.observe('tenantwatch_api_request_duration_seconds', { endpoint }, durationSeconds)
      },
      failed(status) {
        const cls = errorClass(status)
        if (cls !== null) counters.add('tenantwatch_api_errors_total', { tenant, class: cls }, 1)
      },
      retry: (reason) => counters.add('tenantwatch_api_retries_total', { tenant, reason: knownReason(reason) }, 1),
    }),
  }
}

/** Null for a request that the daemon itself aborted. */
function errorClass(status: string): (typeof errorClasses)[number] | null {
  if (status === 'aborted') return null
  if (/^[45]\d\d$/.test(status) && status !== '401' && status !== '429') return status.startsWith('4') ? '4xx' : '5xx'
  return errorClasses.find((one) => one === status) ?? 'other'
}

/** A server may send any three digits, but label values must be a closed set. */
function knownStatus(status: string): string {
  return /^[1-5]\d\d$/.test(status) ? status : knownReason(status)
}

function knownReason(reason: string): string {
  return (reasons as readonly string[]).includes(reason) ? reason : 'internal'
}

/**
 * Initializes the counters and histograms of a tenant at 0, so that `increase()` includes the first event. Reasons of
 * failures other than refusals and statuses other than 200 get a series when they occur: no shipped rule reads them.
 */
export function initializeSeries(counters: Counters, tenant: TenantSeriesConfig): void {
  counters.add('tenantwatch_secret_rotations_total', { tenant: tenant.name }, 0)
  for (const reason of retryReasons) counters.add('tenantwatch_api_retries_total', { tenant: tenant.name, reason }, 0)
  for (const one of errorClasses) counters.add('tenantwatch_api_errors_total', { tenant: tenant.name, class: one }, 0)
  for (const check of tenant.checks) {
    counters.add('tenantwatch_findings_opened_total', { tenant: tenant.name, check }, 0)
    counters.add('tenantwatch_findings_resolved_total', { tenant: tenant.name, check }, 0)
  }
  for (const resource of tenant.resources) preinitializeResource(counters, tenant.name, resource)
}

function preinitializeResource(
  counters: Counters,
  tenant: string,
  config: TenantSeriesConfig['resources'][number],
): void {
  const { resource } = config
  counters.add('tenantwatch_sync_cursor_resets_total', { tenant, resource }, 0)
  for (const reason of refusals) counters.add('tenantwatch_sync_failures_total', { tenant, resource, reason }, 0)
  for (const change of recordChanges) counters.add('tenantwatch_sync_records_total', { tenant, resource, change }, 0)
  counters.add('tenantwatch_contract_events_total', { tenant, resource, kind: commonEvent }, 0)
  for (const mode of config.modes) {
    counters.initialize('tenantwatch_sync_duration_seconds', { resource, mode })
    for (const outcome of outcomes) counters.add('tenantwatch_sync_runs_total', { tenant, resource, mode, outcome }, 0)
  }
  for (const endpoint of config.endpoints) {
    counters.initialize('tenantwatch_api_request_duration_seconds', { endpoint })
    counters.add('tenantwatch_api_requests_total', { tenant, endpoint, status: '200' }, 0)
  }
}
