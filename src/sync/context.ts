import type { TenantReader } from '../api/reader.ts'
import type { TenantSettings } from '../config/settings.ts'
import type { Clock } from '../model/clock.ts'
import { SyncError } from '../model/errors.ts'
import type { Log } from '../model/log.ts'
import type { ContractEventKind } from '../model/reading.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { RunResult } from '../model/run-result.ts'
import { resources } from '../resources/index.ts'
import type { FindingStore, NewHold, SyncStore } from '../store/port.ts'

export type EngineStore = SyncStore & Pick<FindingStore, 'records'>

export interface TenantContext {
  readonly settings: TenantSettings
  readonly reader: TenantReader
  readonly store: EngineStore
  readonly clock: Clock
  readonly log: Log
  readonly observer: SyncObserver
}

/** The id that a complete list must contain, in lower case; null if none is configured. */
export function ownIdOn({ settings }: Pick<TenantContext, 'settings'>, definition: ResourceDefinition): string | null {
  const containsCaller = definition.kind === 'pagedList' && definition.self !== null
  return containsCaller ? (settings.ownClientId?.toLowerCase() ?? null) : null
}

export function enabledResources({ settings }: Pick<TenantContext, 'settings'>): readonly ResourceDefinition[] {
  return resources.filter(({ name }) => settings.resources[name].enabled)
}

/** Raises a hold; resolves with the error that ends the run. */
export async function raiseHold(
  { context, tenantId }: { readonly context: Pick<TenantContext, 'clock' | 'store'>; readonly tenantId: number },
  hold: Omit<NewHold, 'tenantId' | 'at'>,
  hint: string,
): Promise<SyncError> {
  await context.store.raiseHold({ ...hold, tenantId, at: context.clock.now() })
  return new SyncError(hold.reason, hold.message, { hint })
}

export interface IdentifyingList {
  readonly definition: ResourceDefinition
  /** False where only tombstones do. */
  readonly isLive: boolean
}

/** Lists whose ids identify the tenant: enabled, of GUIDs, of which a record identifies the tenant, readable or not. */
export async function identifyingLists(context: TenantContext, tenantId: number): Promise<readonly IdentifyingList[]> {
  const lists: IdentifyingList[] = []
  for (const definition of enabledResources(context)) {
    if (definition.identifiedBy !== 'guid') continue
    const found = await context.store.identifying(tenantId, definition.name)
    if (found !== null) lists.push({ definition, isLive: found === 'live' })
  }
  return lists
}

/** Progress of a running sync. */
export interface SyncProgress {
  page(tenant: string, resource: ResourceName, pages: number, records: number): void
  /** Called after each look-up by id, with the number of those done in the run, failed ones included. */
  lookedUp(tenant: string, resource: ResourceName, done: number, wanted: number): void
  runEnded(result: RunResult): void
}

export interface SyncObserver extends SyncProgress {
  cursorReset(tenant: string, resource: ResourceName): void
  contractEvent(tenant: string, resource: ResourceName, kind: ContractEventKind): void
  /** Number of a page's records whose secret was rotated. */
  secretsRotated(tenant: string, count: number): void
}
