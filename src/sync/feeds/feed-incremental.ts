import type { FeedQuery } from '../../api/reader.ts'
import type { FullSyncRow } from '../../mirror/port.ts'
import { reasonOf, SyncError } from '../../model/errors.ts'
import type { FeedResource } from '../../model/resource.ts'
import { readDetails } from '../details.ts'
import { fullIntervalMs } from '../intervals.ts'
import type { Run } from '../run.ts'
import { fullSyncOfFeed } from './feed-full.ts'
import { cursorRefused, readFeed } from './feed-reading.ts'

/**
 * Continues the feed from the stored cursor (docs/sync.md#incremental-sync). Without a cursor, or while a full sync is
 * owed after a refused one, the run is a full sync.
 *
 * @returns false when incremental syncs rest until the next full sync: nothing was asked.
 */
export async function incrementalSyncOfFeed(run: Run, definition: FeedResource): Promise<boolean> {
  const { state } = run
  if (state.incrementalPaused) return false
  // A recovery's full sync that has not completed goes on, so that freshness is not renewed by incremental syncs alone.
  if (state.cursor === null || state.fullSyncOwed) {
    await fullSyncOfFeed(run, definition)
    return true
  }
  const fullSync = await run.context.store.openFullSync(run.tenantId, definition.name)
  try {
    await follow(run, definition, { cursor: state.cursor }, fullSync)
  } catch (error) {
    if (!cursorRefused(error)) throw error
    await recover(run, definition, fullSync)
    return true
  }
  if (run.counts.created + run.counts.updated > 0) await readDetails(run, definition, false)
  return true
}

/** Reads to the end of the feed, storing the cursor that follows with each page. */
async function follow(
  run: Run,
  definition: FeedResource,
  query: FeedQuery,
  fullSync: FullSyncRow | null,
): Promise<void> {
  let serverTime: number | null = null
  let stored = run.state.cursor
  await readFeed(run, definition, query, (page, index) => {
    if (index === 0) serverTime = page.meta.serverTime
    const cursor = page.nextCursor ?? stored
    const moved = cursor !== stored
    stored = cursor
    return { ...(moved ? { cursor } : {}), ...(fullSync === null ? {} : { fullSync: { id: fullSync.id } }) }
  })
  run.reachedEndServerTime = serverTime
}

/** The stored cursor was refused: one full sync a full sync interval at most, preceded by what `updatedAfter` can bring. */
async function recover(run: Run, definition: FeedResource, fullSync: FullSyncRow | null): Promise<void> {
  const { context, tenantId, state } = run
  const { store, clock, observer, settings, log } = context
  observer.cursorReset(settings.name, definition.name)
  const now = clock.now()
  const since = state.resetFullSyncAt === null ? Number.POSITIVE_INFINITY : Math.abs(now - state.resetFullSyncAt)
  if (since < fullIntervalMs(context, definition.name)) {
    await store.noteSync(tenantId, definition.name, { incrementalPaused: true })
    throw new SyncError(
      'invalid_cursor',
      'The stored cursor was refused again; incremental syncs rest until the next full sync',
    )
  }
  log.warn({ resource: definition.name }, 'The stored cursor was refused; full sync at once')
  await store.noteSync(tenantId, definition.name, { resetFullSyncAt: now, fullSyncOwed: true })
  try {
    await makeGood(run, definition, fullSync)
  } catch (error) {
    // Another tenant refuses this one's cursors; that is no loss, so it must not cost the full sync of a true one.
    const isNoLoss = reasonOf(error) === 'tenant_changed'
    if (isNoLoss && (await store.syncState(tenantId, definition.name)).cursor === state.cursor) {
      await store.noteSync(tenantId, definition.name, { resetFullSyncAt: state.resetFullSyncAt, fullSyncOwed: false })
    }
    throw error
  }
}

async function makeGood(run: Run, definition: FeedResource, fullSync: FullSyncRow | null): Promise<void> {
  const { settings, store, log } = run.context
  const { state } = run
  const since = state.reachedEndServerTime
  const { updatedAfter } = definition
  if (updatedAfter !== undefined && state.completeStartedAt !== null && since !== null) {
    const [section, key] = updatedAfter.overlap
    const from = new Date(since - settings[section][key]).toISOString()
    try {
      await follow(run, definition, { updatedAfter: from }, fullSync)
    } catch (error) {
      if (!(error instanceof SyncError && error.status === 400)) throw error
      log.warn(
        { resource: definition.name },
        'The feed could not be recovered by time; only the full sync makes it good',
      )
    }
  }
  // What changed behind a full sync under way would have shown from the cursor that is lost.
  if (fullSync !== null) await store.dropFullSync(fullSync.id)
  await fullSyncOfFeed(run, definition)
}
