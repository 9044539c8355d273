import type { FeedQuery } from '../../api/reader.ts'
import { isRefusedRequest, reasonOf } from '../../model/errors.ts'
import { isRefusal } from '../../model/reasons.ts'
import type { FeedResource } from '../../model/resource.ts'
import { readDetails } from '../details.ts'
import { fullIntervalMs } from '../due.ts'
import type { Run } from '../run.ts'
import { fullSyncOfFeed } from './feed-full.ts'
import { cursorRefused, readFeed } from './feed-reading.ts'

/** Continues the feed (docs/internals/sync.md#2-incremental-sync); false if it does not, because its cursors do not last. */
export async function incrementalSyncOfFeed(run: Run, definition: FeedResource): Promise<boolean> {
  const { state } = run
  if (state.incrementalPaused) return followByTime(run, definition)
  // Incremental syncs alone must not renew freshness while the full sync of a recovery is incomplete.
  if (state.cursor === null || state.fullSyncOwed) {
    await fullSyncOfFeed(run, definition)
    return true
  }
  try {
    await follow(run, { cursor: state.cursor })
  } catch (error) {
    if (!cursorRefused(error)) throw error
    return recover(run, definition)
  }
  // The token works again: the refused full sync does not wait for its schedule.
  if (isRefusal(state.incrementalReason) && isRefusal(state.fullReason)) await fullSyncOfFeed(run, definition)
  else if (run.counts.created + run.counts.updated > 0) await readDetails(run, definition, false)
  return true
}

async function follow(run: Run, query: FeedQuery): Promise<void> {
  let serverTime: number | null = null
  let stored = run.state.cursor
  await readFeed(run, query, (page, index) => {
    if (index === 0) serverTime = page.meta.serverTime
    const cursor = page.nextCursor ?? stored
    const moved = cursor !== stored
    stored = cursor
    return moved ? { cursor } : {}
  })
  run.reachedEndServerTime = serverTime
}

/** Reads what changed since the last end of the feed; false if that cannot be asked for. */
async function followByTime(run: Run, { updatedAfter }: FeedResource): Promise<boolean> {
  const { completeStartedAt, reachedEndServerTime: since } = run.state
  if (updatedAfter === undefined || completeStartedAt === null || since === null) return false
  const [section, key] = updatedAfter.overlap
  await follow(run, { updatedAfter: new Date(since - run.context.settings[section][key]).toISOString() })
  return true
}

/** After a refused cursor (docs/internals/sync.md#12-lost-cursor): a full sync, at most one per full sync interval. */
async function recover(run: Run, definition: FeedResource): Promise<boolean> {
  const { context, tenantId, state } = run
  const { store, clock, observer, settings, log } = context
  observer.cursorReset(settings.name, definition.name)
  const now = clock.now()
  const since = state.resetFullSyncAt === null ? Number.POSITIVE_INFINITY : Math.abs(now - state.resetFullSyncAt)
  if (since < fullIntervalMs(context, definition.name)) {
    await store.noteSync(tenantId, definition.name, { incrementalPaused: true })
    log.warn(
      { resource: definition.name },
      'The stored cursor was refused again; it is not sent until the next full sync',
    )
    return followByTime(run, definition)
  }
  log.warn({ resource: definition.name }, 'The stored cursor was refused; full sync at once')
  await store.noteSync(tenantId, definition.name, { resetFullSyncAt: now, fullSyncOwed: true })
  try {
    await makeGood(run, definition)
    return true
  } catch (error) {
    // If the tenant is another one, the cursor is not lost and needs no full sync.
    const isNoLoss = reasonOf(error) === 'tenant_changed'
    if (isNoLoss && (await store.syncState(tenantId, definition.name)).cursor === state.cursor) {
      await store.noteSync(tenantId, definition.name, { resetFullSyncAt: state.resetFullSyncAt, fullSyncOwed: false })
    }
    throw error
  }
}

async function makeGood(run: Run, definition: FeedResource): Promise<void> {
  const { store, log } = run.context
  try {
    await followByTime(run, definition)
  } catch (error) {
    if (!isRefusedRequest(error)) throw error
    log.warn(
      { resource: definition.name },
      'The feed could not be recovered by updatedAfter; the next full sync recovers it',
    )
  }
  // Changes during the open full sync could only be read from the lost cursor.
  const fullSync = await store.openFullSync(run.tenantId, definition.name)
  if (fullSync !== null) await store.dropFullSync(fullSync.id)
  await fullSyncOfFeed(run, definition)
}
