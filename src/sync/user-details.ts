import type { LookUp } from '../mirror/port.ts'
import { reasonOf } from '../model/errors.ts'
import { endsAsking, endsRun } from './ending-reasons.ts'
import { idOf } from './page-reading.ts'
import type { FeedResource } from './resource.ts'
import { noteAnswer, type Run } from './run.ts'
import { takeDetail } from './take-detail.ts'

/**
 * Reads details one by one within the budget: after polls for the records that the run brought or whose role name it
 * changed, after sweeps (`rotate`) for all that lack them and then the rest in rotation (contract: User details). A
 * detail that cannot be read changes nothing and fails no run.
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
  })
  const waiting = [...queue]
  const workers = Array.from({ length: Math.min(concurrency, waiting.length) }, () => work(run, definition, waiting))
  await Promise.all(workers)
}

async function work(run: Run, definition: FeedResource, waiting: LookUp[]): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    try {
      if (!(await readOne(run, definition, next))) waiting.length = 0
    } catch (error) {
      const reason = reasonOf(error)
      waiting.length = endsAsking.has(reason) ? 0 : waiting.length
      if (endsRun.has(reason)) throw error
      run.context.log.debug({ resource: definition.name, key: next.key, reason }, 'A detail could not be read')
    }
  }
}

/** False when the answer may be another tenant's: no further one is asked for. */
async function readOne(run: Run, definition: FeedResource, { rid, key }: LookUp): Promise<boolean> {
  const { context, tenantId, signal } = run
  const resource = definition.name
  await context.store.noteAsked(tenantId, resource, rid)
  const found = await definition.fetchOne?.(context.reader, key, signal)
  if (found === undefined || !run.guard.covers(found.meta.identity)) return false
  const { item, meta } = found
  noteAnswer(run, meta)
  if (item === null || !item.ok || idOf(item, definition.idField) !== key) return true
  await takeDetail(run, item, meta)
  return true
}
