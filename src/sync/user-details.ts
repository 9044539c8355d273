import { reasonOf } from '../model/errors.ts'
import { endsAsking, noteWait } from './confirm-missing.ts'
import { idOf } from './page-reading.ts'
import type { FeedResource } from './resource.ts'
import { noteEvent, type Run } from './run.ts'

/**
 * Reads details one by one within the budget: after polls for the records that the run brought or whose role name it
 * changed, after sweeps (`rotate`) for all that lack them and then the rest in rotation (contract: User details). A detail that cannot be read changes nothing and fails no run.
 */
export async function readDetails(run: Run, definition: FeedResource, rotate: boolean): Promise<void> {
  const { context, tenantId } = run
  const { perRun, concurrency } = context.settings.userDetails
  if (definition.fetchOne === undefined || perRun === 0) return
  const ambiguous = rotate ? await context.store.records(tenantId).duplicates('roles', 'name') : []
  const queue = await context.store.detailCandidates({
    tenantId,
    resource: definition.name,
    limit: perRun,
    changedSince: rotate ? null : run.startedAt,
    ambiguousRoleNames: ambiguous.map(({ value }) => value),
    after: run.detailsAfter.key,
  })
  const waiting = queue.map(({ key }) => key)
  const workers = Array.from({ length: Math.min(concurrency, waiting.length) }, () => work(run, definition, waiting))
  await Promise.all(workers)
}

async function work(run: Run, definition: FeedResource, waiting: number[]): Promise<void> {
  for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
    try {
      await readOne(run, definition, key)
    } catch (error) {
      const reason = reasonOf(error)
      waiting.length = endsAsking.has(reason) ? 0 : waiting.length
      if (reason === 'aborted' || reason === 'store' || reason === 'internal') throw error
      noteWait(run, error)
      run.detailsAfter.key = key
      run.context.log.debug({ resource: definition.name, key, reason }, 'A detail could not be read')
    }
  }
}

async function readOne(run: Run, definition: FeedResource, key: number): Promise<void> {
  const { context, tenantId, signal } = run
  const found = await definition.fetchOne?.(context.reader, key, signal)
  if (found === undefined || found.item === null || !found.item.ok || idOf(found.item, definition.idField) !== key) {
    run.detailsAfter.key = key
    return
  }
  const { item, meta } = found
  if (!run.guard.covers(meta.identity)) return
  for (const { kind, field } of item.oddities ?? []) noteEvent(run, kind, field)
  const { receivedAt: at, requestId } = meta
  const result = await context.store.commitDetail({
    tenantId,
    resource: definition.name,
    item,
    at,
    requestId,
    walkId: null,
  })
  context.observer.fieldsChanged(context.settings.name, definition.name, result.changedFields)
}
