import type { ResourceSettings } from '../config/settings.ts'
import type { SyncState } from '../mirror/port.ts'
import { incrementalFreshnessLimitMs, isFresh } from '../model/freshness.ts'
import type { ModeView, ResourceView } from '../model/posture.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { incrementalFailure, type TenantDataQuality } from './data-quality.ts'

/** `fresh` depends on age, not on refusals, and is false while the data may be another tenant's. */
export function resourceView(
  resource: ResourceName,
  settings: ResourceSettings,
  { quality, now }: { readonly quality: TenantDataQuality; readonly now: number },
): ResourceView {
  const measured = quality.resources.get(resource)
  const stored = measured?.stored
  const freshnessLimitMs = measured?.freshnessLimitMs ?? 0
  const dataAsOf = stored?.state.completeStartedAt ?? null
  const full = fullView(stored?.state, freshnessLimitMs)
  const modes =
    settings.incremental === null ? [full] : [incrementalView(stored?.state, settings.incremental.intervalMs), full]
  return {
    resource,
    enabled: settings.enabled,
    live: stored?.live ?? 0,
    quarantined: stored?.quarantined ?? 0,
    missing: stored?.missing ?? 0,
    dataAsOf,
    freshnessLimitMs,
    fresh:
      isFresh(dataAsOf, freshnessLimitMs, now) && !['stale', 'tenant_changed'].includes(measured?.input.blocked ?? ''),
    message: stored?.state.message ?? null,
    modes,
  }
}

function incrementalView(state: SyncState | undefined, intervalMs: number): ModeView {
  const reason = state === undefined ? null : incrementalFailure(state)
  const lastSuccessAt = state?.incrementalSuccessAt ?? null
  return {
    mode: 'incremental',
    up: lastSuccessAt !== null && reason === null,
    lastAttemptAt: state?.incrementalAttemptAt ?? null,
    lastSuccessAt,
    freshnessLimitMs: incrementalFreshnessLimitMs(intervalMs),
    reason,
  }
}

function fullView(state: SyncState | undefined, freshnessLimitMs: number): ModeView {
  const reason = state?.fullReason ?? null
  const lastSuccessAt = state?.fullSuccessAt ?? null
  return {
    mode: 'full',
    up: lastSuccessAt !== null && reason === null,
    lastAttemptAt: state?.fullAttemptAt ?? null,
    lastSuccessAt,
    freshnessLimitMs,
    reason,
  }
}
