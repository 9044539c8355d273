import type { FullSyncRow } from '../../mirror/port.ts'
import type { FeedResource } from '../../model/resource.ts'
import { readDetails } from '../details.ts'
import { confirmMissing } from '../removals/confirm-missing.ts'
import { decideRemovals } from '../removals/removals.ts'
import { beginFullSync, noteEvent, type Run } from '../run.ts'
import { readToEnd } from './feed-pages.ts'
import { cursorRefused, readFeed } from './feed-reading.ts'

/**
 * Full syncs the feed from its beginning to its end, going on where an interrupted full sync stopped
 * (docs/sync.md#full-sync). Ends with the incremental sync from the cursor of before, the decision on removals and the
 * full sync's own last cursor.
 *
 * @param extra true for the full sync that follows a skipped row; it starts no further one.
 */
export async function fullSyncOfFeed(run: Run, definition: FeedResource, extra = false): Promise<void> {
  run.mode = 'full'
  const ended = await readUnmoved(run, definition)
  run.dataAsOf = ended.startedAt
  run.reachedEndServerTime = ended.startServerTime
  await readFromCursorBefore(run, definition, ended)
  // The incremental sync, too, may have shown a record without a readable id.
  const fullSync = (await run.context.store.openFullSync(run.tenantId, definition.name)) ?? ended
  const held = await decideRemovals(run, fullSync, definition.removal)
  if (definition.removal === 'confirm' && !fullSync.unreadable) {
    const skipped = await confirmMissing(run, definition, {
      onlyAccepted: held !== null,
      serverTime: fullSync.startServerTime,
    })
    // Those of a former tenant that were asked for are gone by now.
    await run.fullSyncCompleted()
    if (skipped && !extra) {
      await fullSyncOfFeed(run, definition, true)
      return
    }
  }
  await noteRepeats(run, definition)
  await readDetails(run, definition, true)
  if (held !== null) throw held
}

async function noteRepeats(run: Run, { name, unique }: FeedResource): Promise<void> {
  if (unique === undefined) return
  const { context, startedAt, state, tenantId } = run
  const since = state.completeStartedAt === null ? null : startedAt
  const found = await context.store.records(tenantId).hasRepeats(name, unique.field, since)
  if (found) noteEvent(run, unique.event, unique.field)
}

/**
 * A record on two pages proves that the list moved while it was read, as it does under offset cursors, and another one
 * may have been passed over: the list is read again, once. The second full sync counts as it is.
 */
async function readUnmoved(run: Run, definition: FeedResource): Promise<FullSyncRow> {
  const { store, log } = run.context
  const fullSync = await readToEnd(run, definition)
  const moved = await store.fullSyncMoved(fullSync.id)
  if (moved === 'moved-again') noteEvent(run, 'order_violation', 'pages')
  if (moved !== 'moved') return fullSync
  log.info({ resource: definition.name }, 'The list moved while it was read; reading again')
  await beginFullSync(run, fullSync.cursorBefore, { again: true })
  return readUnmoved(run, definition)
}

/** What changed behind the full sync while it ran shows from the cursor stored before it. */
async function readFromCursorBefore(run: Run, definition: FeedResource, fullSync: FullSyncRow): Promise<void> {
  if (fullSync.cursorBefore === null) return
  let begun = false
  try {
    await readFeed(run, definition, { cursor: fullSync.cursorBefore }, () => {
      begun = true
      return { fullSync: { id: fullSync.id } }
    })
  } catch (error) {
    // Only the stored cursor may be refused: what lies behind a later one was shown to nobody.
    if (!cursorRefused(error) || begun) throw error
    await forgetRefused(run, fullSync)
  }
}

/** A full sync that was given no cursor leaves nothing to take the place of a refused one, so incremental syncs begin again. */
async function forgetRefused({ context, tenantId, definition }: Run, fullSync: FullSyncRow): Promise<void> {
  const { cursor } = await context.store.syncState(tenantId, definition.name)
  if (fullSync.lastCursor !== null || cursor !== fullSync.cursorBefore) return
  await context.store.noteSync(tenantId, definition.name, { cursor: null })
}
