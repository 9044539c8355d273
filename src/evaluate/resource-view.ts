import type { ResourceSettings } from '../config/settings.ts'
import type { SyncState } from '../mirror/port.ts'
import { isFresh, pollFreshnessLimitMs } from '../model/freshness.ts'
import type { ModeView, ResourceView } from '../model/posture.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { pollFailure, type TenantTrust } from './tenant-trust.ts'

/** Where the mirror of one resource stands; `fresh` speaks of its age, not of refusals, and is false while it may be another tenant's. */
export function resourceView(
  resource: ResourceName,
  settings: ResourceSettings,
  { trust, now }: { readonly trust: TenantTrust; readonly now: number },
): ResourceView {
  const measured = trust.resources.get(resource)
  const stored = measured?.stored
  const freshnessLimitMs = measured?.freshnessLimitMs ?? 0
  const dataAsOf = stored?.state.completeStartedAt ?? null
  const sweep = sweepView(stored?.state, freshnessLimitMs)
  const modes = settings.poll === null ? [sweep] : [pollView(stored?.state, settings.poll.intervalMs), sweep]
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

function pollView(state: SyncState | undefined, intervalMs: number): ModeView {
  const reason = state === undefined ? null : pollFailure(state)
  const lastSuccessAt = state?.pollSuccessAt ?? null
  return {
    mode: 'poll',
    up: lastSuccessAt !== null && reason === null,
    lastAttemptAt: state?.pollAttemptAt ?? null,
    lastSuccessAt,
    freshnessLimitMs: pollFreshnessLimitMs(intervalMs),
    reason,
  }
}

function sweepView(state: SyncState | undefined, freshnessLimitMs: number): ModeView {
  const reason = state?.sweepReason ?? null
  const lastSuccessAt = state?.sweepSuccessAt ?? null
  return {
    mode: 'sweep',
    up: lastSuccessAt !== null && reason === null,
    lastAttemptAt: state?.sweepAttemptAt ?? null,
    lastSuccessAt,
    freshnessLimitMs,
    reason,
  }
}
