import { SyncError } from '../model/errors.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { Database } from './database.ts'
import type { WalkStep, WholeList } from './port.ts'
import { type RidSet, ridSet } from './rid-set.ts'
import { syncStateWriter } from './sync-state-writer.ts'

/** What a page's transaction notes of its walk and cursor; the methods expect to run inside a transaction. */
export interface WalkNotes {
  /** Returns the number of the page in its walk; null for a poll beside it. */
  add(step: WalkStep, rids: Buffer, items: number, unreadable: boolean, at: number): number | null
  storeCursor(tenantId: number, resource: ResourceName, cursor: string | null): void
  complete(tenantId: number, resource: ResourceName, whole: WholeList, requestId: string | null): void
  /** True when an earlier page of the walk itself, not of an incremental sync beside it, showed the record. */
  shown(walkId: number, rid: number): boolean
  /** Forgets a walk and what it has shown. */
  drop(walkId: number): void
}

export function walkNotes(database: Database): WalkNotes {
  const { raw } = database
  const putState = syncStateWriter(database)
  const lowestPage = raw.prepare<[number], number | null>('select min(page) from walk_pages where walk_id = ?').pluck()
  const insertPage = raw.prepare('insert into walk_pages (walk_id, page, cursor_digest, rids) values (?, ?, ?, ?)')
  const advanceWalk = raw
    .prepare<(number | string | null)[], number>(
      `update walks set pages = pages + 1, progress_at = ?, wait_ms = 0, walked_ms = ?, next_cursor = ?,
         last_cursor = coalesce(?, last_cursor), reached_end = ?, unreadable = unreadable or ?,
         empty_pages = case when ? = 0 then empty_pages + 1 else 0 end
       where id = ? returning pages`,
    )
    .pluck()
  const noteStart = raw.prepare('update walks set start_server_time = ?, start_request_id = ? where id = ?')
  const dropPages = raw.prepare('delete from walk_pages where walk_id = ?')
  const dropWalk = raw.prepare('delete from walks where id = ?')
  const isOpen = raw.prepare('select 1 from walks where id = ?')
  const noteUnreadable = raw.prepare('update walks set unreadable = 1 where id = ?')
  const pagesAfter = raw.prepare<[number, number], { page: number; rids: Buffer }>(
    'select page, rids from walk_pages where walk_id = ? and page > ? order by page',
  )
  /** Only of walks in which a record differed from the mirror. */
  const shownBy = new Map<number, { pages: number; readonly rids: RidSet }>()
  return {
    shown(walkId, rid) {
      const known = shownBy.get(walkId) ?? { pages: 0, rids: ridSet([]) }
      shownBy.set(walkId, known)
      for (const { page, rids } of pagesAfter.all(walkId, known.pages)) {
        known.rids.add(rids)
        known.pages = page
      }
      return known.rids.has(rid)
    },
    add({ id, advance }, rids, items, unreadable, at) {
      if (advance === undefined) {
        if (isOpen.get(id) === undefined) throw walkDropped()
        if (unreadable) noteUnreadable.run(id)
        if (rids.byteLength === 0) return null
        insertPage.run(id, Math.min(lowestPage.get(id) ?? 0, 0) - 1, null, rids)
        return null
      }
      const { nextCursor, cursorDigest, reachedEnd, walkedMs, start } = advance
      if (start !== undefined) noteStart.run(start.serverTime, start.requestId, id)
      const flags = [reachedEnd ? 1 : 0, unreadable ? 1 : 0, items] as const
      const cursors = [reachedEnd ? null : nextCursor, nextCursor] as const
      const pages = advanceWalk.get(at, walkedMs, ...cursors, ...flags, id)
      if (pages === undefined) throw walkDropped()
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
    drop(walkId) {
      shownBy.delete(walkId)
      dropPages.run(walkId)
      dropWalk.run(walkId)
    },
  }
}

/** An operator's decision ends the walks of the former tenant, also one whose page is on its way. */
export function walkDropped(): SyncError {
  return new SyncError('aborted', 'The walk was dropped while its page was read')
}
