import type { AnswerMeta, Item } from '../../api/reader.ts'
import { reasonOf, SyncError } from '../../model/errors.ts'
import type { FeedResource } from '../../model/resource.ts'
import { noteEvent } from '../contract-events.ts'
import { askById, showsListed, takeDetail } from '../details.ts'
import { idOf } from '../pages/page-rules.ts'
import { endsAsking, endsRun, type Run } from '../run.ts'

/**
 * Full syncs that must lack the record before the answer by id counts. One that is repeated at once counts as one, so
 * they span at least two intervals of the schedule.
 */
const fullSyncsToTakeById = 3

/** Looks missing records up by id (docs/sync.md#removal); true when a full sync skipped a record that exists. */
export async function confirmMissing(
  run: Run,
  definition: FeedResource,
  { onlyAccepted, serverTime }: { readonly onlyAccepted: boolean; readonly serverTime: number },
): Promise<boolean> {
  const { context, tenantId, signal } = run
  const { store, settings, log } = context
  if (definition.lookUp === undefined) return false
  let skipped = false
  let left = 0
  let last: unknown
  let proven = false
  const resource = definition.name
  const limit = settings.removals.confirmPerRun - run.lookUps
  for (const { rid, key, fullSyncs, missingSince } of await store.missing({
    tenantId,
    resource,
    limit,
    onlyAccepted,
  })) {
    run.lookUps++
    try {
      const found = await askById(run, definition, { rid, key })
      // Another tenant's token gets 404 for every id.
      if (found === undefined) break
      const { item, meta } = found
      if (item === null) {
        // The token may have become another tenant's, which knows none of the ids.
        if (!proven) await run.guard.prove(signal)
        proven = true
        if (!(await showsListed(run, definition))) {
          log.warn({ resource }, 'The tenant denies by id also records that it lists; the missing ones stay')
          break
        }
        const { receivedAt: at, requestId } = meta
        const removed = await store.remove(tenantId, resource, [rid], at, requestId, serverTime)
        run.counts = { ...run.counts, removed: run.counts.removed + removed }
        continue
      }
      if (idOf(item, definition.idField) !== key) continue
      if (await agrees(run, item, meta, fullSyncs)) await store.noteExists(tenantId, resource, rid)
      noteEvent(run, 'skipped_row', String(key))
      // The first answer since it is missing.
      skipped ||= fullSyncs === 1 || (missingSince !== null && missingSince < run.startedAt)
    } catch (error) {
      const reason = reasonOf(error)
      if (endsRun.has(reason)) throw error
      if (endsAsking.has(reason)) break
      left += 1
      last = error
      log.debug({ resource, key, reason }, 'A missing record could not be confirmed')
    }
  }
  if (left > 0)
    log.warn({ resource, count: left, ...factsOf(last) }, 'Missing records could not be confirmed; they stay')
  return skipped
}

/**
 * True if the mirror equals the answer by id of a record that the list skipped. Otherwise the record stays missing,
 * because an answer by id may lag behind the list; after several full syncs without the record, the answer by id
 * counts.
 */
async function agrees(run: Run, item: Item, meta: AnswerMeta, fullSyncs: number): Promise<boolean> {
  if (!item.ok) return false
  if ((await takeDetail(run, item, meta)).length === 0) return true
  if (fullSyncs < fullSyncsToTakeById) return false
  const { tenantId, definition, context } = run
  const { receivedAt: at, requestId } = meta
  const page = { tenantId, resource: definition.name, items: [item], at, requestId, recordCreations: true }
  const { counts } = await context.store.commitPage(page)
  run.counts = { ...run.counts, updated: run.counts.updated + counts.updated }
  return (await takeDetail(run, item, meta)).length === 0
}

function factsOf(error: unknown) {
  const { message: detail = null, hint = null } = error instanceof SyncError ? error : {}
  return { reason: reasonOf(error), detail, hint }
}
