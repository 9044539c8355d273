import type { TenantReader } from '../api/reader.ts'
import type { TenantSettings } from '../config/settings.ts'
import type { Clock } from '../model/clock.ts'
import type { Log } from '../model/log.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import type { FindingStore, SyncStore } from '../store/port.ts'
import type { SyncObserver } from './observer.ts'

export type EngineStore = SyncStore & Pick<FindingStore, 'records'>

export interface TenantContext {
  readonly settings: TenantSettings
  readonly reader: TenantReader
  readonly store: EngineStore
  readonly resources: readonly ResourceDefinition[]
  readonly clock: Clock
  readonly log: Log
  readonly observer: SyncObserver
}

/** The id that a complete list must contain, in lower case; null if none is configured. */
export function ownIdOn({ settings }: Pick<TenantContext, 'settings'>, definition: ResourceDefinition): string | null {
  const containsCaller = definition.kind === 'pagedList' && definition.self !== null
  return containsCaller ? (settings.ownClientId?.toLowerCase() ?? null) : null
}

export function enabledResources({
  settings,
  resources,
}: Pick<TenantContext, 'settings' | 'resources'>): readonly ResourceDefinition[] {
  return resources.filter(({ name }) => settings.resources[name].enabled)
}
