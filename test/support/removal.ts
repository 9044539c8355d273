import type { ResourceName } from '../../src/model/resource-names.ts'
import type { Mirror } from '../../src/store/port.ts'
import { RidSet } from '../../src/store/sync/seen-records.ts'

interface Removal {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly at: number
  readonly removedAt: number
  readonly requestId: string | null
}

/** Makes records tombstones, as answers by id do. */
export function removeRecords(mirror: Mirror, removal: Removal, rids: readonly number[]): Promise<number> {
  const { tenantId, resource, at, removedAt, requestId } = removal
  const removed = rids.map((rid) => ({ rid, requestId }))
  return mirror.saveLookUps({ tenantId, resource, at, removedAt, asked: rids, existing: [], removed })
}

/** Completes a full sync after which these records are missing. */
export async function markMissing(
  mirror: Mirror,
  { tenantId, resource }: Pick<Removal, 'resource' | 'tenantId'>,
  missing: readonly number[],
  at: number,
): Promise<void> {
  const { id } = await mirror.startFullSync({ tenantId, resource, at, cursorBefore: null })
  const end = { at, durationMs: 1, removedAt: at, remove: [], seen: new RidSet() }
  await mirror.completeFullSync({ ...end, fullSyncId: id, absent: [], missing })
}
