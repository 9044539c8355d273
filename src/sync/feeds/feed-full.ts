import { reasonOf } from '../../model/errors.ts'
import type { Reason } from '../../model/reasons.ts'
import type { FeedResource } from '../../model/resource.ts'
import type { FullSyncRow } from '../../store/port.ts'
import { noteEvent } from '../contract-events.ts'
import { readDetails } from '../details.ts'
import { confirmMissing } from '../removals/confirm-missing.ts'
import { decideRemovals } from '../removals/removals.ts'
import { beginFullSync, type Run, unsetNow } from '../run.ts'
import { readToEnd } from './feed-pages.ts'
import { cursorFails, cursorRefused, readFeed } from './feed-reading.ts'

/** Full sync of a feed, with removals (docs/sync.md#full-sync); `extra` = after a skipped row or a contradiction. */
export async function fullSyncOfFeed(run: Run, definition: FeedResource, extra = false): Promise<void> {
  run.mode = 'full'
  let ended: FullSyncRow
  let moved: Awaited<ReturnType<typeof howItMoved>>
  do {
    ended = await readToEnd(run, definition)
    moved = await howItMoved(run, ended)
  } while (moved === 'moved')
  run.guard.contradicted.delete(definition.name)
  run.dataAsOf = ended.startedAt
  run.reachedEndServerTime = ended.startServerTime
  await readFromCursorBefore(run, ended)
  // Read the row again: the incremental sync may have noted a record without a readable id.
  const fullSync = (await run.context.store.openFullSync(run.tenantId, definition.name)) ?? ended
  const held = await decideRemovals(run, fullSync, { rule: definition.removal, removesNone: moved === 'moved-again' })
  if (definition.removal === 'confirm' && !fullSync.unreadable) {
    const skipped = await confirmMissing(run, definition, {
      onlyAccepted: held !== null,
      serverTime: fullSync.startServerTime ?? unsetNow(run),
    })
    // Only now: missing records of a former tenant were removed above.
    await run.fullSyncCompleted()
    if (skipped && !extra) {
      await fullSyncOfFeed(run, definition, true)
      return
    }
  }
  await readDetails(run, definition, true)
  // The record may have changed after its page was read; then a new reading of the list agrees.
  if (run.contradicted && !extra) {
    await fullSyncOfFeed(run, definition, true)
    return
  }
  if (held !== null) throw held
}

/** A record on two pages means that the list moved and others may have been skipped, so the list is read once more. */
async function howItMoved(run: Run, { id, cursorBefore }: FullSyncRow) {
  const { store, log } = run.context
  const moved = await store.fullSyncMoved(id)
  if (moved === 'moved-again') noteEvent(run, 'order_violation', 'pages')
  if (moved !== 'moved') return moved
  log.info({ resource: run.definition.name }, 'The list moved while it was read; reading again')
  await beginFullSync(run, cursorBefore, { again: true })
  return moved
}

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
    if (begun || !(cursorRefused(error) || isUnreadable(run, error))) throw error
    if (!cursorRefused(error)) {
      run.context.log.warn(
        { resource: run.definition.name, reason: reasonOf(error) },
        'Reading from the stored cursor fails, but the list was read; the full sync completes without the cursor',
      )
    }
    await forgetRefused(run, fullSync)
  }
}

const unreadable: ReadonlySet<Reason> = new Set([
  'missing_permission',
  'server_error',
  'client_error',
  'timeout',
  'network',
  'redirect',
  'too_large',
  'protocol',
])

/** True if this run could read the list, but incremental syncs have long failed, too. */
function isUnreadable(run: Run, error: unknown): boolean {
  return run.pages > 0 && unreadable.has(reasonOf(error)) && cursorFails(run)
}

/** Without a cursor from the full sync, the next incremental sync starts from the beginning. */
async function forgetRefused({ context, tenantId, definition }: Run, fullSync: FullSyncRow): Promise<void> {
  const { cursor } = await context.store.syncState(tenantId, definition.name)
  if (fullSync.lastCursor !== null || cursor !== fullSync.cursorBefore) return
  await context.store.noteSync(tenantId, definition.name, { cursor: null })
}
