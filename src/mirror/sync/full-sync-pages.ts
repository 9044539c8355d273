import { SyncError } from '../../model/errors.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { FullSyncStep, WholeList } from '../port.ts'
import { type RidSet, ridSet } from '../records/rid-set.ts'
import type { Database } from '../sqlite/database.ts'
import { syncStateWriter } from './sync-state-writer.ts'

/** Writes a page's part of the full sync and the cursor. Call inside a transaction. */
export interface FullSyncNotes {
  /** Returns the number of the page in its full sync; null for an incremental sync beside it. */
  add(step: FullSyncStep, rids: Buffer, items: number, unreadable: boolean, at: number): number | null
  storeCursor(tenantId: number, resource: ResourceName, cursor: string | null): void
  complete(tenantId: number, resource: ResourceName, whole: WholeList, requestId: string | null): void
  /** True when an earlier page of the full sync itself, not of an incremental sync beside it, returned the record. */
  shown(fullSyncId: number, rid: number): boolean
  drop(fullSyncId: number): void
}

export function fullSyncNotes(database: Database): FullSyncNotes {
  const { raw } = database
  const putState = syncStateWriter(database)
  const lowestPage = raw
    .prepare<[number], number | null>('select min(page) from full_sync_pages where full_sync_id = ?')
    .pluck()
  const insertPage = raw.prepare(
    'insert into full_sync_pages (full_sync_id, page, cursor_digest, rids) values (?, ?, ?, ?)',
  )
  const advanceFullSync = raw
    .prepare<(number | string | null)[], number>(
      `update full_syncs set pages = pages + 1, progress_at = ?, wait_ms = 0, full_sync_ms = ?, next_cursor = ?,
         last_cursor = coalesce(?, last_cursor), reached_end = ?, unreadable = unreadable or ?,
         empty_pages = case when ? = 0 then empty_pages + 1 else 0 end
       where id = ? returning pages`,
    )
    .pluck()
  const noteStart = raw.prepare('update full_syncs set start_server_time = ?, start_request_id = ? where id = ?')
  const dropPages = raw.prepare('delete from full_sync_pages where full_sync_id = ?')
  const dropFullSync = raw.prepare('delete from full_syncs where id = ?')
  const isOpen = raw.prepare('select 1 from full_syncs where id = ?')
  const noteUnreadable = raw.prepare('update full_syncs set unreadable = 1 where id = ?')
  const pagesAfter = raw.prepare<[number, number], { page: number; rids: Buffer }>(
    'select page, rids from full_sync_pages where full_sync_id = ? and page > ? order by page',
  )
  /** Only full syncs in which a record differed from the mirror. */
  const shownBy = new Map<number, { pages: number; readonly rids: RidSet }>()
  return {
    shown(fullSyncId, rid) {
      const known = shownBy.get(fullSyncId) ?? { pages: 0, rids: ridSet([]) }
      shownBy.set(fullSyncId, known)
      for (const { page, rids } of pagesAfter.all(fullSyncId, known.pages)) {
        known.rids.add(rids)
        known.pages = page
      }
      return known.rids.has(rid)
    },
    add({ id, advance }, rids, items, unreadable, at) {
      if (advance === undefined) {
        if (isOpen.get(id) === undefined) throw fullSyncDropped()
        if (unreadable) noteUnreadable.run(id)
        if (rids.byteLength === 0) return null
        insertPage.run(id, Math.min(lowestPage.get(id) ?? 0, 0) - 1, null, rids)
        return null
      }
      const { nextCursor, cursorDigest, reachedEnd, fullSyncMs, start } = advance
      if (start !== undefined) noteStart.run(start.serverTime, start.requestId, id)
      const flags = [reachedEnd ? 1 : 0, unreadable ? 1 : 0, items] as const
      const cursors = [reachedEnd ? null : nextCursor, nextCursor] as const
      const pages = advanceFullSync.get(at, fullSyncMs, ...cursors, ...flags, id)
      if (pages === undefined) throw fullSyncDropped()
      insertPage.run(id, pages, cursorDigest, rids)
      return pages
    },
    storeCursor(tenantId, resource, cursor) {
      putState(tenantId, resource, { cursor })
    },
    complete(tenantId, resource, { startedAt, durationMs, serverTime }, requestId) {
      putState(tenantId, resource, {
        completeStartedAt: startedAt,
        completeDurationMs: durationMs,
        completeServerTime: serverTime,
        completeRequestId: requestId,
      })
    },
    drop(fullSyncId) {
      shownBy.delete(fullSyncId)
      dropPages.run(fullSyncId)
      dropFullSync.run(fullSyncId)
    },
  }
}

/** An operator's decision drops full syncs of the former tenant, even while a page is being read. */
export function fullSyncDropped(): SyncError {
  return new SyncError('aborted', 'The full sync was dropped while its page was read')
}
