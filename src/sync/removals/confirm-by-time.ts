import { reasonOf, SyncError } from '../../model/errors.ts'
import type { FeedWithTime } from '../../model/resource.ts'
import { secondMs } from '../../model/time.ts'
import type { AbsentRecord, FullSyncRow } from '../../store/port.ts'
import type { MirrorRecord } from '../../store/records/query.ts'
import { noteEvent } from '../contract-events.ts'
import { readFeed } from '../feeds/feed-pages.ts'
import { endsRun, type Run } from '../run.ts'

/** Consecutive full syncs that must lack a record before its removal is due. */
export const fullSyncsToRemove = 2

/** Servers may compare whole seconds, or exclude the instant itself. */
const marginMs = secondMs

/** Readings that begin earlier, after one that ended in an empty page. */
const mostRepeats = 3

/**
 * Reads everything updated since the oldest of these absent records (docs/internals/sync.md#5-removal). What it returns counts as returned by
 * the full sync.
 *
 * @returns false if it could not be read, so that nothing may be removed.
 */
export async function confirmByTime(
  run: Run,
  definition: FeedWithTime,
  { id }: FullSyncRow,
  asked: readonly AbsentRecord[],
): Promise<boolean> {
  const { store, log } = run.context
  try {
    let since: number | null = await oldestTime(run, definition, asked)
    for (let readings = 0; !(await readSince(run, id, since)); readings++) {
      since = await timeBefore(run, definition, since)
      if (since === null || readings === mostRepeats) throw new SyncError('protocol', 'An announced page stays empty')
    }
  } catch (error) {
    const reason = reasonOf(error)
    if (endsRun.has(reason)) throw error
    const detail = error instanceof SyncError ? error.message : null
    log.warn(
      { resource: definition.name, count: asked.length, reason, detail },
      'Removals could not be confirmed by updatedAfter; the records stay',
    )
    return false
  }
  const absent = new Set((await store.absence(id, run.seen)).absent.map(({ rid }) => rid))
  for (const { rid, key } of asked) if (!absent.has(rid)) noteEvent(run, 'skipped_row', key)
  return true
}

/** False if an announced last page is empty: it may be a lost page, or the server announces one after each full page. */
async function readSince(run: Run, id: number, since: number): Promise<boolean> {
  let isComplete = true
  await readFeed(run, { updatedAfter: new Date(since).toISOString() }, ({ items, hasMore }, index) => {
    isComplete = hasMore || items.length > 0 || index === 0
    return { fullSync: { id } }
  })
  return isComplete
}

/**
 * Of the next older record, with which the pages end elsewhere; null if there is none. Those that were never updated come
 * last, because a server may leave them out.
 */
async function timeBefore({ context, tenantId }: Run, definition: FeedWithTime, since: number): Promise<number | null> {
  const latest = { updated: 0, created: 0 }
  for await (const batch of context.store.records(tenantId).select(definition.name)) {
    for (const record of batch) {
      const at = timeOf(record) - marginMs
      const kind = record.times[`${definition.updatedAfter.updated}Ms`] == null ? 'created' : 'updated'
      if (at < since) latest[kind] = Math.max(latest[kind], at)
    }
  }
  return latest.updated || latest.created || null
}

/** When a record was last updated, else created; in milliseconds since the epoch. */
const timeOf = ({ times }: Pick<MirrorRecord, 'times'>) => times['touchedAtMs'] ?? 0

/** When the oldest of the records was last updated, else created, less a margin; in milliseconds since the epoch. */
async function oldestTime(
  { context, tenantId }: Run,
  definition: FeedWithTime,
  due: readonly AbsentRecord[],
): Promise<number> {
  const records = await context.store.records(tenantId).byKeys(
    definition.name,
    due.map(({ key }) => key),
  )
  // A record without a valid version has no known time.
  if (records.length < due.length) return 0
  const times = records.map(timeOf)
  return Math.max(0, Math.min(...times) - marginMs)
}
