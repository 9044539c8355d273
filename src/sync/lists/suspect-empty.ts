import type { Emptiness } from '../../model/emptiness.ts'
import { SyncError } from '../../model/errors.ts'
import type { ResourceDefinition } from '../../model/resource.ts'
import type { TenantContext } from '../context.ts'

export interface Suspicion {
  /** One sentence for the operator. */
  readonly message: string
  /** How many records are in question; absent = all live ones. */
  readonly count?: number
  /** Ids of the records that accepting the hold removes, where it does not cover all live ones. */
  readonly rids?: readonly number[]
  /** How many records were shown, where the next list is believed for showing as many. */
  readonly shown?: number
}

/** Waits before an empty page of such a list is asked for again, in milliseconds (docs/sync.md#empty-lists). */
export const repeatDelaysMs: readonly number[] = [1000, 2000, 4000]

export const emptyList: Suspicion = {
  message: 'The list is empty, which may mean that the request could not be completed',
}

/** The list in question. */
interface Suspect {
  readonly context: TenantContext
  readonly tenantId: number
  readonly definition: ResourceDefinition
}

/** Raises the hold of a list that looks incomplete; the error ends the run. */
export async function suspectEmpty(
  { context, tenantId, definition }: Suspect,
  emptiness: Emptiness,
  { message, count, rids = [], shown }: Suspicion,
): Promise<SyncError> {
  const { store, clock } = context
  await store.raiseHold({
    tenantId,
    resource: definition.name,
    reason: 'suspect_empty',
    count: count ?? (await store.liveCount(tenantId, definition.name)),
    message,
    cause: { emptiness, ...(shown === undefined ? {} : { shown }) },
    rids,
    at: clock.now(),
  })
  return new SyncError('suspect_empty', message, { hint: 'If that is the truth, see "tenantwatch accept"' })
}
