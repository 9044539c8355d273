import { reasonOf, SyncError } from '../model/errors.ts'
import type { Reason } from '../model/reasons.ts'
import { idOf } from './page-reading.ts'
import type { FeedResource } from './resource.ts'
import { added, noteEvent, type Run } from './run.ts'

/** After these no further request makes sense in this run. */
export const endsAsking: ReadonlySet<Reason> = new Set([
  'aborted',
  'rate_limited',
  'unauthorized',
  'missing_permission',
  'tenant_changed',
])

/**
 * Asks for each missing record by id: one that the tenant denies is removed, one that it shows was skipped by the walk,
 * anything else leaves it missing for the next sweep (contract: Sync table, users).
 *
 * @param onlyAccepted true while the shrink guard holds: only removals that an operator accepted are carried out.
 *
 * @returns true when a walk skipped a row that exists.
 */
export async function confirmMissing(run: Run, definition: FeedResource, onlyAccepted: boolean): Promise<boolean> {
  const { context, tenantId, signal } = run
  const { store, reader, settings, log } = context
  if (definition.fetchOne === undefined) return false
  let skipped = false
  for (const { rid, key, accepted } of await store.missing(
    tenantId,
    definition.name,
    settings.removals.confirmPerRun,
  )) {
    if (onlyAccepted && !accepted) continue
    try {
      const { item, meta } = await definition.fetchOne(reader, Number(key), signal)
      const { requestId, receivedAt: at, identity } = meta
      // Another tenant's token would be told 404 for every id.
      if (!run.guard.covers(identity)) break
      if (item === null) {
        const removed = await store.remove(tenantId, definition.name, [rid], at, requestId)
        run.counts = { ...run.counts, removed: run.counts.removed + removed }
        continue
      }
      if (String(idOf(item, definition.idField)) !== key) continue
      // Also what cannot be trusted was seen; it is quarantined and the last good version stays.
      const detail = { tenantId, resource: definition.name, item, at, requestId, walkId: null }
      const { counts } = await store.commitDetail(detail)
      run.counts = added(run.counts, counts)
      noteEvent(run, 'skipped_row', key)
      skipped = true
    } catch (error) {
      const reason = reasonOf(error)
      if (reason === 'aborted' || reason === 'store' || reason === 'internal') throw error
      noteWait(run, error)
      if (endsAsking.has(reason)) break
      log.debug({ resource: definition.name, key, reason }, 'A missing record could not be confirmed')
    }
  }
  return skipped
}

/** A stated wait counts for the whole tenant, also when the look-up that met it fails no run. */
export function noteWait(run: Run, error: unknown): void {
  if (error instanceof SyncError && error.retryAt !== undefined) run.blockedUntil = error.retryAt
}
