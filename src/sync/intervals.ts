import type { TenantSettings } from '../config/settings.ts'
import type { SyncState } from '../mirror/port.ts'
import { fullFreshnessLimitMs } from '../model/freshness.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import type { TenantContext } from './context.ts'

export function fullIntervalMs({ settings }: TenantContext, resource: ResourceName): number {
  return settings.resources[resource].full.intervalMs
}

/** How long an interrupted full sync may be resumed, in milliseconds; after that its data is too old. */
export function idleLimitMs({ settings }: TenantContext, state: SyncState): number {
  const { freshnessMs, full } = settings.resources[state.resource]
  const rhythm = { explicitMs: freshnessMs, intervalMs: full.intervalMs, durationMs: state.completeDurationMs }
  return fullFreshnessLimitMs(rhythm) / 2
}

export function shortestIntervalMs({ resources }: TenantSettings): number {
  const intervals = Object.values(resources)
    .filter(({ enabled }) => enabled)
    .map(({ incremental, full }) => Math.min(incremental?.intervalMs ?? full.intervalMs, full.intervalMs))
  return Math.min(...intervals)
}

export function enabledNames({ resources }: TenantSettings): readonly ResourceName[] {
  return resourceNames.filter((name) => resources[name].enabled)
}
