import type { ResourceName } from '../../model/resource-names.ts'
import type { FindingStore, Mirror } from '../port.ts'
import type { Database } from './database.ts'

type Watched = Pick<
  Mirror,
  | 'applyDecision'
  | 'commitDetail'
  | 'commitPage'
  | 'completeFullSync'
  | 'markMissing'
  | 'noteExists'
  | 'purge'
  | 'remove'
  | 'startFullSync'
>

/**
 * Numbers that change whenever what is mirrored of a resource may have changed. They live in memory: only this engine
 * writes records. Whatever might write counts, whether it did or not; a page that came again as it was does not.
 */
export function watchData<T extends Watched>({ raw }: Database, operations: T): T & Pick<FindingStore, 'dataVersion'> {
  const versions = new Map<string, number>()
  let ofAll = 0
  const note = (tenantId: number, resource: ResourceName) => {
    const key = `${tenantId} ${resource}`
    versions.set(key, (versions.get(key) ?? 0) + 1)
  }
  const fullSyncOf = raw.prepare<[number], { tenantId: number; resource: ResourceName }>(
    'select tenant_id as tenantId, resource from full_syncs where id = ?',
  )
  return {
    ...operations,
    dataVersion: (tenantId: number, resource: ResourceName) => ofAll + (versions.get(`${tenantId} ${resource}`) ?? 0),
    applyDecision(decision, by) {
      ofAll++
      return operations.applyDecision(decision, by)
    },
    commitDetail(detail) {
      note(detail.tenantId, detail.resource)
      return operations.commitDetail(detail)
    },
    commitPage(page) {
      if (page.items.length > 0 || page.whole !== undefined) note(page.tenantId, page.resource)
      return operations.commitPage(page)
    },
    completeFullSync(end) {
      const fullSync = fullSyncOf.get(end.fullSyncId)
      if (fullSync !== undefined) note(fullSync.tenantId, fullSync.resource)
      return operations.completeFullSync(end)
    },
    markMissing(tenantId, resource, rids, at) {
      note(tenantId, resource)
      return operations.markMissing(tenantId, resource, rids, at)
    },
    noteExists(tenantId, resource, rid) {
      note(tenantId, resource)
      return operations.noteExists(tenantId, resource, rid)
    },
    purge(erasure) {
      ofAll++
      return operations.purge(erasure)
    },
    remove(tenantId, resource, ...removal) {
      note(tenantId, resource)
      return operations.remove(tenantId, resource, ...removal)
    },
    startFullSync(fullSync) {
      note(fullSync.tenantId, fullSync.resource)
      return operations.startFullSync(fullSync)
    },
  } satisfies Watched
}
