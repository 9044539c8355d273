import type { FeedQuery } from '../../api/reader.ts'
import { isRefusedRequest, reasonOf } from '../../model/errors.ts'
import { isRefusal, type Reason } from '../../model/reasons.ts'
import type { FeedResource } from '../../model/resource.ts'
import type { FullSyncRow } from '../../store/port.ts'
import { readDetails } from '../details.ts'
import { confirmMissing } from '../removals/confirm-missing.ts'
import { decideRemovals } from '../removals/removals.ts'
import { endsRun, type Run } from '../run.ts'
import { cursorFails, cursorRefused, readFeed, readToEnd } from './feed-pages.ts'

/** Full sync of a feed, with removals (docs/internals/sync.md#3-full-sync); `extra` = after a skipped row. */
export async function fullSyncOfFeed(run: Run, definition: FeedResource, extra = false): Promise<void> {
  run.mode = 'full'
  const ended = await readToEnd(run, definition)
  run.dataAsOf = ended.startedAt
  run.reachedEndServerTime = ended.startServerTime
  await readFromCursorBefore(run, ended)
  // Read the row again: pages after it may have made the full sync not whole.
  const fullSync = (await run.context.store.openFullSync(run.tenantId, definition.name)) ?? ended
  const held = await decideRemovals(run, fullSync)
  if (definition.removal === 'confirm' && !fullSync.notWhole) {
    const skipped = await confirmMissing(run, definition, { onlyAccepted: held !== null })
    // Only now: missing records of a former tenant were removed above.
    await run.fullSyncCompleted()
    if (skipped && !extra) {
      await fullSyncOfFeed(run, definition, true)
      return
    }
  }
  await readDetails(run, definition, true)
  if (held !== null) throw held
}

/** Failures that say nothing of a cursor, because a request without one would fail alike. */
const failsEveryRequest: ReadonlySet<Reason> = new Set([...endsRun, 'rate_limited', 'tls', 'unauthorized'])

/** Reads the changes that were made while the full sync ran, from the cursor before it. */
async function readFromCursorBefore(run: Run, fullSync: FullSyncRow): Promise<void> {
  if (fullSync.cursorBefore === null) return
  let begun = false
  try {
    await readFeed(run, { cursor: fullSync.cursorBefore }, () => {
      begun = true
      return { fullSync: { id: fullSync.id } }
    })
  } catch (error) {
    // If incremental syncs have long failed as well, the cursor is lost in another way.
    const isLost = cursorRefused(error) || (cursorFails(run) && !failsEveryRequest.has(reasonOf(error)))
    if (begun || !isLost) throw error
    await forgetRefused(run, fullSync)
  }
}

/** Without a cursor from the full sync, the next incremental sync starts from the beginning. */
async function forgetRefused({ context, tenantId, definition }: Run, fullSync: FullSyncRow): Promise<void> {
  const { cursor } = await context.store.syncState(tenantId, definition.name)
  if (fullSync.lastCursor !== null || cursor !== fullSync.cursorBefore) return
  await context.store.noteSync(tenantId, definition.name, { cursor: null })
}

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
  if (since < settings.resources[definition.name].full.intervalMs) {
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
    await followByTime(run, definition)
  } catch (error) {
    if (!isRefusedRequest(error) && !cursorRefused(error)) throw error
    log.warn(
      { resource: definition.name },
      'The feed could not be recovered by updatedAfter; the next full sync recovers it',
    )
  }
  // Changes during the open full sync could only be read from the lost cursor.
  const fullSync = await store.openFullSync(tenantId, definition.name)
  if (fullSync !== null) await store.dropFullSync(fullSync.id)
  await fullSyncOfFeed(run, definition)
  return true
}
