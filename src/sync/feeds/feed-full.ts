import { reasonOf } from '../../model/errors.ts'
import type { Reason } from '../../model/reasons.ts'
import type { FeedResource } from '../../model/resource.ts'
import type { FullSyncRow } from '../../store/port.ts'
import { readDetails } from '../details.ts'
import { confirmMissing } from '../removals/confirm-missing.ts'
import { agreedTime, decideRemovals } from '../removals/removals.ts'
import type { Run } from '../run.ts'
import { readToEnd } from './feed-pages.ts'
import { cursorFails, cursorRefused, readFeed } from './feed-reading.ts'

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
    const skipped = await confirmMissing(run, definition, {
      onlyAccepted: held !== null,
      removedAt: agreedTime(run, fullSync),
    })
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
