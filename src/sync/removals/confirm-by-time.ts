import type { Item } from '../../api/reader.ts'
import type { AbsentRecord, FullSyncRow } from '../../mirror/port.ts'
import { isoMs } from '../../model/dates.ts'
import { reasonOf, SyncError } from '../../model/errors.ts'
import type { FeedWithTime, UpdatedAfter } from '../../model/resource.ts'
import { endsRun } from '../ending-reasons.ts'
import { readFeed } from '../feeds/feed-reading.ts'
import { noteEvent, type Run } from '../run.ts'

/** Full syncs in a row that must lack a document before its removal is due. */
export const fullSyncsToRemove = 2

/** Servers may compare whole seconds, or leave out the instant itself; in milliseconds. */
const marginMs = 1000

/**
 * Full syncs in a row that lack a document of which no request can show anything: the server leaves out records that
 * were never updated, as the specification allows ("updated at or after that time").
 */
const fullSyncsWithoutConfirmation = 4

export interface TimeConfirmation {
  /** Ids of due records that stay, because nothing confirms their removal. */
  readonly unconfirmed: ReadonlySet<number>
  /** Those of them that the tenant's `updatedAfter` cannot confirm, in this full sync nor in the one before. */
  readonly refused: ReadonlySet<number>
}

/**
 * Asks once for everything updated since the oldest of the records that are due, to the end of the feed; what the
 * answer shows stays (docs/sync.md#removal). The answer confirms a removal only if it shows everything else that
 * belongs in it, and nothing older.
 */
export async function confirmByTime(
  run: Run,
  definition: FeedWithTime,
  fullSync: FullSyncRow,
  due: readonly AbsentRecord[],
): Promise<TimeConfirmation> {
  const { store, log } = run.context
  const dates = definition.updatedAfter
  const asked = due.filter(({ accepted }) => !accepted)
  const { since, neverUpdated } = await oldest(run, dates, fullSync, asked)
  const before = await store.besideFullSync(fullSync.id)
  let older = false
  try {
    const updatedAfter = new Date(since).toISOString()
    await readFeed(run, definition, { updatedAfter }, ({ items }) => {
      older ||= items.some((item) => isOlder(item, dates, since))
      return { fullSync: { id: fullSync.id } }
    })
  } catch (error) {
    if (endsRun.has(reasonOf(error))) throw error
    const unconfirmed = new Set(asked.map(({ rid }) => rid))
    const refused = error instanceof SyncError && error.status === 400
    const detail = error instanceof SyncError ? error.message : null
    log.warn(
      { resource: definition.name, count: asked.length, reason: reasonOf(error), detail },
      'Removals could not be confirmed by updatedAfter; the records stay',
    )
    return { unconfirmed, refused: refused ? unconfirmed : new Set() }
  }
  const absent = new Set((await store.absence(fullSync.id)).absent.map(({ rid }) => rid))
  for (const { rid, key } of asked) if (!absent.has(rid)) noteEvent(run, 'skipped_row', key)
  const left = await store.leftOut(fullSync.id, before, since)
  const complete = left.neverUpdated.leftOut === 0
  const applied = !older && left.updated.leftOut === 0
  const usable = applied && (left.updated.expected > 0 || complete)
  // A server that leaves out all that were never updated tells nothing of them: they go after more full syncs.
  const excludes = applied && !complete && left.neverUpdated.leftOut === left.neverUpdated.expected
  const unconfirmed = new Set<number>()
  const refused = new Set<number>()
  for (const { rid, fullSyncs } of asked) {
    const never = neverUpdated.has(rid)
    if (never ? usable && complete : usable) continue
    if (never && excludes && fullSyncs >= fullSyncsWithoutConfirmation) continue
    unconfirmed.add(rid)
    // Records that are deleted or updated meanwhile make one answer incomplete, not two in a row.
    if (!(never && excludes) && (older || fullSyncs > fullSyncsToRemove)) refused.add(rid)
  }
  if (refused.size > 0) {
    log.warn({ resource: definition.name, count: refused.size }, 'The answer to updatedAfter cannot confirm removals')
  }
  return { unconfirmed, refused }
}

/** True for a record that an answer to `updatedAfter` cannot hold: the server ignores the parameter. */
function isOlder(item: Item, { updated }: UpdatedAfter, since: number): boolean {
  const updatedAt = item.ok ? isoMs(Reflect.get(item.record, updated)) : null
  return updatedAt !== null && updatedAt < since
}

interface Oldest {
  /** Milliseconds since the epoch. */
  readonly since: number
  /** Ids of the due records that were never updated. */
  readonly neverUpdated: ReadonlySet<number>
}

/**
 * The time of the oldest record that is due. The newest record that the full sync showed lies behind it too, updated and
 * never updated alike: an answer without it is not complete.
 */
async function oldest(
  { context, tenantId, definition }: Run,
  { updated, created }: UpdatedAfter,
  fullSync: FullSyncRow,
  due: readonly AbsentRecord[],
): Promise<Oldest> {
  const { store } = context
  // Of a record that was never readable no time is known: everything is asked for.
  const neverReadable = due.filter(({ rid }) => rid < 0)
  const byKey = new Map(due.map(({ rid, key }) => [key, rid]))
  const gone = new Set((await store.absence(fullSync.id)).absent.map(({ key }) => key))
  const neverUpdated = new Set(neverReadable.map(({ rid }) => rid))
  let since = neverReadable.length > 0 ? 0 : Number.POSITIVE_INFINITY
  let newestUpdated = Number.NEGATIVE_INFINITY
  let newestNever = Number.NEGATIVE_INFINITY
  for await (const batch of store.records(tenantId).select(definition.name)) {
    for (const record of batch) {
      const updatedAt = record.times[`${updated}Ms`] ?? null
      const touched = updatedAt ?? record.times[`${created}Ms`] ?? 0
      const never = updatedAt === null
      const rid = byKey.get(record.key)
      if (rid !== undefined) {
        since = Math.min(since, touched)
        if (never) neverUpdated.add(rid)
      } else if (!gone.has(record.key)) {
        if (never) newestNever = Math.max(newestNever, touched)
        else newestUpdated = Math.max(newestUpdated, touched)
      }
    }
  }
  for (const control of [newestUpdated, neverUpdated.size > 0 ? newestNever : Number.NEGATIVE_INFINITY]) {
    if (Number.isFinite(control)) since = Math.min(since, control)
  }
  return { since: Math.max(0, since - marginMs), neverUpdated }
}
