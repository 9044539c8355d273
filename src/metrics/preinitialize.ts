import type { ContractEventKind } from '../model/contract-events.ts'
import { type Reason, refusals } from '../model/reasons.ts'
import type { Instruments } from './instruments.ts'
import type { ResourceSeriesConfig, TenantSeriesConfig } from './series-config.ts'

/** Classes of failed requests; `4xx` without 401 and 429. */
export const errorClasses = ['401', '429', '4xx', '5xx', 'timeout', 'network', 'tls', 'other'] as const
const retryReasons = ['network', 'rate_limited', 'server_error', 'timeout'] as const satisfies readonly Reason[]
export const recordChanges = ['created', 'updated', 'unchanged', 'removed', 'quarantined'] as const
const outcomes = ['success', 'failure'] as const

/** Only this kind has a series from the start; the shipped rule also detects new series. */
const commonEvent = 'unknown_field' satisfies ContractEventKind

/**
 * Initializes the counters and histograms of a tenant at 0, so that `increase()` includes the first event. Reasons of
 * failures other than refusals and statuses other than 200 get a series when they occur: no shipped rule reads them.
 */
export function preinitializeSeries(instruments: Instruments, tenant: TenantSeriesConfig): void {
  instruments.add('tenantwatch_secret_rotations_total', { tenant: tenant.name }, 0)
  for (const reason of retryReasons)
    instruments.add('tenantwatch_api_retries_total', { tenant: tenant.name, reason }, 0)
  for (const one of errorClasses)
    instruments.add('tenantwatch_api_errors_total', { tenant: tenant.name, class: one }, 0)
  for (const check of tenant.checks) {
    instruments.add('tenantwatch_findings_opened_total', { tenant: tenant.name, check }, 0)
    instruments.add('tenantwatch_findings_resolved_total', { tenant: tenant.name, check }, 0)
  }
  for (const resource of tenant.resources) preinitializeResource(instruments, tenant.name, resource)
}

function preinitializeResource(instruments: Instruments, tenant: string, config: ResourceSeriesConfig): void {
  const { resource } = config
  instruments.add('tenantwatch_sync_cursor_resets_total', { tenant, resource }, 0)
  for (const reason of refusals) instruments.add('tenantwatch_sync_failures_total', { tenant, resource, reason }, 0)
  for (const change of recordChanges) instruments.add('tenantwatch_sync_records_total', { tenant, resource, change }, 0)
  instruments.add('tenantwatch_contract_events_total', { tenant, resource, kind: commonEvent }, 0)
  for (const mode of config.modes) {
    instruments.preinitialize('tenantwatch_sync_duration_seconds', { resource, mode })
    for (const outcome of outcomes)
      instruments.add('tenantwatch_sync_runs_total', { tenant, resource, mode, outcome }, 0)
  }
  for (const endpoint of config.endpoints) {
    instruments.preinitialize('tenantwatch_api_request_duration_seconds', { endpoint })
    instruments.add('tenantwatch_api_requests_total', { tenant, endpoint, status: '200' }, 0)
  }
}
