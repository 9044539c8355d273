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

export interface IdentifyingList {
  readonly definition: ResourceDefinition
  /** 0 where only tombstones do. */
  readonly live: number
}

/** Lists whose ids identify the tenant: enabled, of GUIDs, of which a record identifies the tenant, readable or not. */
export async function identifyingLists(
  context: Pick<TenantContext, 'settings' | 'resources'> & {
    readonly store: Pick<EngineStore, 'identifying' | 'syncState'>
  },
  tenantId: number,
): Promise<readonly IdentifyingList[]> {
  const lists: IdentifyingList[] = []
  for (const definition of enabledResources(context)) {
    if (definition.identifiedBy !== 'guid') continue
    const found = await context.store.identifying(tenantId, definition.name)
    if (found === null) continue
    lists.push({
      definition,
      live: found === 'live' ? (await context.store.syncState(tenantId, definition.name)).live : 0,
    })
  }
  return lists
}
