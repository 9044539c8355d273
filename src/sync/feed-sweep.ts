import type { WalkRow } from '../mirror/port.ts'
import { confirmMissing } from './confirm-missing.ts'
import { cursorRefused, readFeed } from './feed-reading.ts'
import { walkToEnd } from './feed-walk.ts'
import { decideRemovals } from './removals.ts'
import type { FeedResource } from './resource.ts'
import { beginWalk, noteEvent, type Run } from './run.ts'
import { readDetails } from './user-details.ts'

/**
 * Walks the feed from its beginning to its end, going on where an interrupted walk stopped (contract: Walks). Ends with
 * the poll from the cursor of before, the decision on removals and the walk's own last cursor.
 *
 * @param extra true for the sweep that follows a skipped row; it starts no further one.
 */
export async function sweepFeed(run: Run, definition: FeedResource, extra = false): Promise<void> {
  run.mode = 'sweep'
  const ended = await walkUnmoved(run, definition)
  run.dataAsOf = ended.startedAt
  run.reachedEndServerTime = ended.startServerTime
  await pollFromBefore(run, definition, ended)
  // The poll, too, may have shown a record without a readable id.
  const walk = (await run.context.store.openWalk(run.tenantId, definition.name)) ?? ended
  const held = await decideRemovals(run, walk, definition.removal)
  if (definition.removal === 'confirm' && !walk.unreadable) {
    const skipped = await confirmMissing(run, definition, {
      onlyAccepted: held !== null,
      serverTime: walk.startServerTime,
    })
    // Those of a former tenant that were asked for are gone by now.
    await run.walkCompleted()
    if (skipped && !extra) {
      await sweepFeed(run, definition, true)
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
 * may have been passed over: the list is read anew, once. The second walk counts as it is.
 */
async function walkUnmoved(run: Run, definition: FeedResource): Promise<WalkRow> {
  const { store, log } = run.context
  const walk = await walkToEnd(run, definition)
  const moved = await store.walkMoved(walk.id)
  if (moved === 'moved-again') noteEvent(run, 'order_violation', 'pages')
  if (moved !== 'moved') return walk
  log.info({ resource: definition.name }, 'The list moved while it was read; walking anew')
  await beginWalk(run, walk.cursorBefore, { again: true })
  return walkUnmoved(run, definition)
}

/** What changed behind the walk while it ran shows from the cursor stored before it. */
async function pollFromBefore(run: Run, definition: FeedResource, walk: WalkRow): Promise<void> {
  if (walk.cursorBefore === null) return
  let begun = false
  try {
    await readFeed(run, definition, { cursor: walk.cursorBefore }, () => {
      begun = true
      return { walk: { id: walk.id } }
    })
  } catch (error) {
    // Only the stored cursor may be refused: what lies behind a later one was shown to nobody.
    if (!cursorRefused(error) || begun) throw error
    await forgetRefused(run, walk)
  }
}

/** A walk that was given no cursor leaves nothing to take the place of a refused one, so polls begin anew. */
async function forgetRefused({ context, tenantId, definition }: Run, walk: WalkRow): Promise<void> {
  const { cursor } = await context.store.syncState(tenantId, definition.name)
  if (walk.lastCursor !== null || cursor !== walk.cursorBefore) return
  await context.store.noteSync(tenantId, definition.name, { cursor: null })
}
