import type { Absence, AbsentRecord, WalkRow } from '../mirror/port.ts'
import { SyncError } from '../model/errors.ts'
import { proveEnd } from './confirm-answer.ts'
import { type Run, walkedMs } from './run.ts'

const walksToRemove = 2

export type RemovalRule = 'confirm' | 'two-walks'

/** What a complete walk's absences lead to. */
export interface RemovalPlan {
  /** Due for removal and allowed: by the guard, or by an operator. */
  readonly due: readonly AbsentRecord[]
  /** Due, but too many: an operator must accept them. */
  readonly held: readonly AbsentRecord[]
}

/**
 * The shrink guard (contract: Shrink guard): more than `maxCount` and more than `maxPercent` of the live records, or all
 * of more than one, are not removed. Removals that an operator accepted do not count.
 */
export function planRemovals(
  { live, absent }: Absence,
  rule: RemovalRule,
  limits: { readonly maxCount: number; readonly maxPercent: number },
): RemovalPlan {
  const due = absent.filter(({ accepted, walks }) => accepted || rule === 'confirm' || walks >= walksToRemove)
  const unasked = due.filter(({ accepted }) => !accepted)
  const tooMany = unasked.length > limits.maxCount && unasked.length * 100 > limits.maxPercent * live
  // What an operator accepted is as good as gone, so the rest is what "all" means.
  const others = live - (due.length - unasked.length)
  const everything = others > 1 && unasked.length === others
  return tooMany || everything ? { due: due.filter(({ accepted }) => accepted), held: unasked } : { due, held: [] }
}

/**
 * Ends a complete walk: what it did not show is removed, counted, marked missing or held, and the walk's last cursor is
 * stored, in one transaction.
 *
 * @returns the error that the run shall end with when records are held, null otherwise.
 */
export async function decideRemovals(run: Run, walk: WalkRow, rule: RemovalRule): Promise<SyncError | null> {
  const { context, tenantId, definition } = run
  const { store, clock, settings, log } = context
  const { name } = definition
  await proveEnd(run)
  const absence = walk.unreadable ? { live: 0, absent: [] } : await store.absence(walk.id)
  // Another run may have raised a hold while this one looked.
  run.guard.insist()
  const at = clock.now()
  const { due, held } = planRemovals(absence, rule, settings.removals)
  const rids = (records: readonly AbsentRecord[]) => records.map(({ rid }) => rid)
  const removeNow = rule === 'two-walks' ? rids(due) : []
  const removing = new Set(removeNow)
  if (rule === 'confirm') await store.markMissing(tenantId, name, rids(due), at)
  const refusal = held.length > 0 ? await raise(run, held, absence.live) : null
  if (refusal === null && !walk.unreadable) await store.liftHold(tenantId, name, 'shrink_held')
  const { removed } = await store.completeWalk({
    walkId: walk.id,
    at,
    durationMs: walkedMs(run),
    requestId: walk.startRequestId,
    // Of a list whose cursors are good within one walk only, none may outlive it.
    ...(walk.lastCursor === null || definition.kind !== 'feed' ? {} : { cursor: walk.lastCursor }),
    reachedEndServerTime: walk.startServerTime,
    remove: removeNow,
    absent: rids(absence.absent).filter((rid) => !removing.has(rid)),
  })
  run.counts = { ...run.counts, removed: run.counts.removed + removed }
  await run.walkCompleted()
  if (walk.unreadable) log.warn({ resource: name }, 'A record without a readable id was shown; nothing is removed')
  return refusal
}

async function raise({ context, tenantId, definition }: Run, held: readonly AbsentRecord[], live: number) {
  const { store, clock, settings } = context
  const { maxCount, maxPercent } = settings.removals
  const message = `${held.length} of ${live} ${definition.name} are gone, more than ${maxCount} and ${maxPercent} percent`
  await store.raiseHold({
    tenantId,
    resource: definition.name,
    reason: 'shrink_held',
    count: held.length,
    message,
    cause: {},
    rids: held.map(({ rid }) => rid),
    at: clock.now(),
  })
  return new SyncError('shrink_held', message, { hint: 'If they were really removed, see "tenantwatch accept"' })
}
