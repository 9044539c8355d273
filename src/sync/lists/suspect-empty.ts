import type { SyncError } from '../../model/errors.ts'
import type { Emptiness } from '../../model/holds.ts'
import type { ResourceDefinition } from '../../model/resource.ts'
import { raiseHold, type TenantContext } from '../context.ts'

export interface Suspicion {
  readonly emptiness: Emptiness
  readonly message: string
  /** Number of records that the hold concerns; absent = all live ones. */
  readonly count?: number
  /** Ids of the records that accepting the hold removes; absent = all live ones. */
  readonly rids?: readonly number[]
}

/** Delays before a suspect empty page is requested again, in milliseconds (docs/internals/sync.md#4-whole-full-sync). */
export const repeatDelaysMs: readonly number[] = [1000, 2000, 4000]

export const emptyList: Suspicion = {
  emptiness: 'list',
  message: 'The list is empty, which may mean that the request could not be completed',
}

interface Suspect {
  readonly context: TenantContext
  readonly tenantId: number
  readonly definition: ResourceDefinition
}

export async function suspectEmpty(
  suspect: Suspect,
  { emptiness, message, count, rids = [] }: Suspicion,
): Promise<SyncError> {
  const { context, tenantId, definition } = suspect
  const { name: resource } = definition
  const held = count ?? (await context.store.syncState(tenantId, resource)).live
  const hold = { resource, reason: 'suspect_empty', count: held, message, cause: { emptiness }, rids } as const
  return raiseHold(suspect, hold, 'If that is right, see "tenantwatch accept"')
}
