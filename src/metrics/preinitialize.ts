import { resolutions } from '../model/check-status.ts'
import type { Reason } from '../model/reasons.ts'
import type { Instruments } from './instruments.ts'
import type { ResourceSeriesConfig, TenantSeriesConfig } from './series-config.ts'

/** Statuses with a series from the start; others get one when they occur. */
const initialStatuses = [
  '200',
  '400',
  '401',
  '404',
  '429',
  '500',
  '503',
  'network',
  'protocol',
  'timeout',
  'tls',
] as const
export const retryReasons = ['network', 'rate_limited', 'server_error', 'timeout'] as const satisfies readonly Reason[]
export const recordChanges = ['created', 'updated', 'unchanged', 'removed', 'quarantined'] as const
export const outcomes = ['success', 'failure'] as const

/** Initializes the counters and histograms of a tenant at 0, so that `increase()` includes the first event. */
export function preinitializeSeries(instruments: Instruments, tenant: TenantSeriesConfig): void {
  instruments.add('tenantwatch_secret_rotations_total', { tenant: tenant.name }, 0)
  for (const reason of retryReasons)
    instruments.add('tenantwatch_api_retries_total', { tenant: tenant.name, reason }, 0)
  for (const check of tenant.checks) {
    instruments.add('tenantwatch_findings_opened_total', { tenant: tenant.name, check }, 0)
    for (const resolution of resolutions)
      instruments.add('tenantwatch_findings_resolved_total', { tenant: tenant.name, check, resolution }, 0)
  }
  for (const resource of tenant.resources) preinitializeResource(instruments, tenant.name, resource)
}

function preinitializeResource(instruments: Instruments, tenant: string, config: ResourceSeriesConfig): void {
  const { resource } = config
  instruments.add('tenantwatch_sync_cursor_resets_total', { tenant, resource }, 0)
  for (const reason of config.failures)
    instruments.add('tenantwatch_sync_failures_total', { tenant, resource, reason }, 0)
  for (const change of recordChanges) instruments.add('tenantwatch_sync_records_total', { tenant, resource, change }, 0)
  for (const kind of config.contractEvents)
    instruments.add('tenantwatch_contract_events_total', { tenant, resource, kind }, 0)
  for (const mode of config.modes) {
    instruments.preinitialize('tenantwatch_sync_duration_seconds', { resource, mode })
    for (const outcome of outcomes)
      instruments.add('tenantwatch_sync_runs_total', { tenant, resource, mode, outcome }, 0)
  }
  for (const endpoint of config.endpoints) {
    instruments.preinitialize('tenantwatch_api_request_duration_seconds', { endpoint })
    for (const status of initialStatuses)
      instruments.add('tenantwatch_api_requests_total', { tenant, endpoint, status }, 0)
  }
}
