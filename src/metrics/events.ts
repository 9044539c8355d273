import type { TenantObserver } from '../api/reader.ts'
import type { ContractEventKind } from '../model/contract-events.ts'
import { type Reason, reasons } from '../model/reasons.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'
import type { Instruments } from './instruments.ts'
import { errorClasses, recordChanges } from './preinitialize.ts'

export interface EndedRun {
  readonly tenant: string
  readonly resource: ResourceName
  readonly mode: SyncMode
  readonly outcome: 'success' | 'failure'
  readonly reason: Reason | null
  readonly durationSeconds: number
  readonly counts: Readonly<Record<(typeof recordChanges)[number], number>>
}

export interface MetricsEvents {
  syncRunEnded(run: EndedRun): void
  cursorReset(tenant: string, resource: ResourceName): void
  contractEvent(tenant: string, resource: ResourceName, kind: ContractEventKind): void
  /** Secrets whose expiry moved to a later time; a secret whose expiry moved earlier was not rotated. */
  secretsRotated(tenant: string, count: number): void
  findingsOpened(tenant: string, check: string, count: number): void
  findingsResolved(tenant: string, check: string, count: number): void
  observer(tenant: string): TenantObserver
}

export function createEvents(instruments: Instruments): MetricsEvents {
  return {
    syncRunEnded({ tenant, resource, mode, outcome, reason, durationSeconds, counts }) {
      instruments.add('tenantwatch_sync_runs_total', { tenant, resource, mode, outcome }, 1)
      instruments.observe('tenantwatch_sync_duration_seconds', { resource, mode }, durationSeconds)
      if (reason !== null) instruments.add('tenantwatch_sync_failures_total', { tenant, resource, reason }, 1)
      for (const change of recordChanges)
        instruments.add('tenantwatch_sync_records_total', { tenant, resource, change }, counts[change])
    },
    cursorReset: (tenant, resource) => instruments.add('tenantwatch_sync_cursor_resets_total', { tenant, resource }, 1),
    contractEvent: (tenant, resource, kind) =>
      instruments.add('tenantwatch_contract_events_total', { tenant, resource, kind }, 1),
    secretsRotated: (tenant, count) => instruments.add('tenantwatch_secret_rotations_total', { tenant }, count),
    findingsOpened: (tenant, check, count) =>
      instruments.add('tenantwatch_findings_opened_total', { tenant, check }, count),
    findingsResolved: (tenant, check, count) =>
      instruments.add('tenantwatch_findings_resolved_total', { tenant, check }, count),
    observer: (tenant) => ({
      request(endpoint, status, durationSeconds) {
        instruments.add('tenantwatch_api_requests_total', { tenant, endpoint, status: knownStatus(status) }, 1)
        instruments.observe('tenantwatch_api_request_duration_seconds', { endpoint }, durationSeconds)
      },
      failed(status) {
        const cls = errorClass(status)
        if (cls !== null) instruments.add('tenantwatch_api_errors_total', { tenant, class: cls }, 1)
      },
      retry: (reason) => instruments.add('tenantwatch_api_retries_total', { tenant, reason: knownReason(reason) }, 1),
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
