import type { WalkRow } from '../mirror/port.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import type { FeedQuery } from '../tenant/reader.ts'
import { cursorRefused, readFeed } from './feed-reading.ts'
import { sweepFeed } from './feed-sweep.ts'
import type { FeedResource } from './resource.ts'
import { sweepIntervalMs } from './rhythm.ts'
import type { Run } from './run.ts'
import { readDetails } from './user-details.ts'

/**
 * Continues the feed from the stored cursor (contract: Sync table, Lost cursor). Without a cursor, or while a sweep is
 * owed after a refused one, the run is a sweep.
 *
 * @returns false when polls rest until the next sweep: nothing was asked.
 */
export async function pollFeed(run: Run, definition: FeedResource): Promise<boolean> {
  const { state } = run
  if (state.pollsRest) return false
  // A recovery's sweep that has not completed goes on, so that freshness is not renewed by polls alone.
  if (state.cursor === null || state.sweepOwed) {
    await sweepFeed(run, definition)
    return true
  }
  const walk = await run.context.store.openWalk(run.tenantId, definition.name)
  try {
    await follow(run, definition, { cursor: state.cursor }, walk)
  } catch (error) {
    if (!cursorRefused(error)) throw error
    await recover(run, definition, walk)
    return true
  }
  if (run.counts.created + run.counts.updated > 0) await readDetails(run, definition, false)
  return true
}

/** Reads to the end of the feed, storing the cursor that follows with each page. */
async function follow(run: Run, definition: FeedResource, query: FeedQuery, walk: WalkRow | null): Promise<void> {
  let serverTime: number | null = null
  let stored = run.state.cursor
  await readFeed(run, definition, query, (page, index) => {
    if (index === 0) serverTime = page.meta.serverTime
    const cursor = page.nextCursor ?? stored
    const moved = cursor !== stored
    stored = cursor
    return { ...(moved ? { cursor } : {}), ...(walk === null ? {} : { walk: { id: walk.id } }) }
  })
  run.reachedEndServerTime = serverTime
}

/** The stored cursor was refused: one sweep a sweep interval at most, preceded by what `updatedAfter` can bring. */
async function recover(run: Run, definition: FeedResource, walk: WalkRow | null): Promise<void> {
  const { context, tenantId, state } = run
  const { store, clock, observer, settings, log } = context
  observer.cursorReset(settings.name, definition.name)
  const now = clock.now()
  const since = state.resetSweepAt === null ? Number.POSITIVE_INFINITY : Math.abs(now - state.resetSweepAt)
  if (since < sweepIntervalMs(context, definition.name)) {
    await store.noteSync(tenantId, definition.name, { pollsRest: true })
    throw new SyncError('invalid_cursor', 'The stored cursor was refused again; polls rest until the next sweep')
  }
  log.warn({ resource: definition.name }, 'The stored cursor was refused; sweeping at once')
  await store.noteSync(tenantId, definition.name, { resetSweepAt: now, sweepOwed: true })
  try {
    await makeGood(run, definition, walk)
  } catch (error) {
    // Another tenant refuses this one's cursors; that is no loss, so it must not cost the sweep of a true one.
    const isNoLoss = reasonOf(error) === 'tenant_changed'
    if (isNoLoss && (await store.syncState(tenantId, definition.name)).cursor === state.cursor) {
      await store.noteSync(tenantId, definition.name, { resetSweepAt: state.resetSweepAt, sweepOwed: false })
    }
    throw error
  }
}

async function makeGood(run: Run, definition: FeedResource, walk: WalkRow | null): Promise<void> {
  const { settings, store, log } = run.context
  const { state } = run
  const since = state.reachedEndServerTime
  if (definition.lostCursor === 'updatedAfter' && state.completeStartedAt !== null && since !== null) {
    const updatedAfter = new Date(since - settings.documents.overlapMs).toISOString()
    try {
      await follow(run, definition, { updatedAfter }, walk)
    } catch (error) {
      if (!(error instanceof SyncError && error.status === 400)) throw error
      log.warn({ resource: definition.name }, 'The feed could not be recovered by time; only the sweep makes it good')
    }
  }
  // What changed behind a walk under way would have shown from the cursor that is lost.
  if (walk !== null) await store.dropWalk(walk.id)
  await sweepFeed(run, definition)
}
