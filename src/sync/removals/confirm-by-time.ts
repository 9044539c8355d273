import { secondMs } from '../../model/durations.ts'
import { reasonOf, SyncError } from '../../model/errors.ts'
import type { FeedWithTime } from '../../model/resource.ts'
import type { AbsentRecord, FullSyncRow } from '../../store/port.ts'
import { noteEvent } from '../contract-events.ts'
import { readFeed } from '../feeds/feed-reading.ts'
import { endsRun, type Run } from '../run.ts'

/** Consecutive full syncs that must lack a document before its removal is due. */
export const fullSyncsToRemove = 2

/** Servers may compare whole seconds, or exclude the instant itself. */
const marginMs = secondMs

/**
 * Reads everything updated since the oldest due record (docs/internals/sync.md#5-removal). What it returns counts as returned by
 * the full sync.
 *
 * @returns false if it could not be read, so that nothing may be removed.
 */
export async function confirmByTime(
  run: Run,
  definition: FeedWithTime,
  { id }: FullSyncRow,
  due: readonly AbsentRecord[],
): Promise<boolean> {
  const { store, log } = run.context
  const asked = due.filter(({ accepted }) => !accepted)
  try {
    const since = await oldestTime(run, definition, asked)
    await readFeed(run, { updatedAfter: new Date(since).toISOString() }, ({ items }, index) => {
      if (items.length === 0 && index > 0) throw new SyncError('protocol', 'An announced page is empty')
      return { fullSync: { id } }
    })
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
  const absent = new Set((await store.absence(id)).absent.map(({ rid }) => rid))
  for (const { rid, key } of asked) if (!absent.has(rid)) noteEvent(run, 'skipped_row', key)
  return true
}

/** When the oldest of the records was last updated, else created, less a margin; in milliseconds since the epoch. */
async function oldestTime(
  { context, tenantId, definition }: Run,
  { updatedAfter: { updated, created } }: FeedWithTime,
  due: readonly AbsentRecord[],
): Promise<number> {
  const records = await context.store.records(tenantId).byKeys(
    definition.name,
    due.map(({ key }) => key),
  )
  // A record without a valid version has no known time.
  if (records.length < due.length) return 0
  const times = records.map((record) => record.times[`${updated}Ms`] ?? record.times[`${created}Ms`] ?? 0)
  return Math.max(0, Math.min(...times) - marginMs)
}
