import { eq, min } from 'drizzle-orm'
import type { ResourceName } from '../model/resource-names.ts'
import type { Database } from './database.ts'
import type { WalkStep, WholeList } from './port.ts'
import { syncStates, walkPages, walks } from './schema/index.ts'

/** What a page's transaction notes of its walk and cursor; the methods expect to run inside a transaction. */
export interface WalkNotes {
  add(step: WalkStep, rids: Buffer, items: number, unreadable: boolean, at: number): void
  storeCursor(tenantId: number, resource: ResourceName, cursor: string | null): void
  complete(tenantId: number, resource: ResourceName, whole: WholeList, requestId: string | null): void
}

export function walkNotes({ orm, raw }: Database): WalkNotes {
  const insertPage = raw.prepare('insert into walk_pages (walk_id, page, cursor_digest, rids) values (?, ?, ?, ?)')
  const advanceWalk = raw.prepare(
    `update walks set pages = pages + 1, progress_at = ?, next_cursor = ?, last_cursor = coalesce(?, last_cursor),
       reached_end = ?, unreadable = unreadable or ?, empty_pages = case when ? = 0 then empty_pages + 1 else 0 end
     where id = ? returning pages`,
  )
  const noteStart = raw.prepare('update walks set start_server_time = ?, start_request_id = ? where id = ?')
  const noteUnreadable = raw.prepare('update walks set unreadable = 1 where id = ?')
  return {
    add({ id, advance }, rids, items, unreadable, at) {
      if (advance === undefined) {
        if (unreadable) noteUnreadable.run(id)
        if (rids.byteLength === 0) return
        const lowest = orm
          .select({ page: min(walkPages.page) })
          .from(walkPages)
          .where(eq(walkPages.walkId, id))
          .get()
        insertPage.run(id, Math.min(lowest?.page ?? 0, 0) - 1, null, rids)
        return
      }
      const { nextCursor, cursorDigest, reachedEnd, start } = advance
      if (start !== undefined) noteStart.run(start.serverTime, start.requestId, id)
      const flags = [reachedEnd ? 1 : 0, unreadable ? 1 : 0, items] as const
      const { pages } = advanceWalk.get(at, reachedEnd ? null : nextCursor, nextCursor, ...flags, id) as {
        pages: number
      }
      insertPage.run(id, pages, cursorDigest, rids)
    },
    storeCursor(tenantId, resource, cursor) {
      orm
        .insert(syncStates)
        .values({ tenantId, resource, cursor })
        .onConflictDoUpdate({ target: [syncStates.tenantId, syncStates.resource], set: { cursor } })
        .run()
    },
    complete(tenantId, resource, { startedAt, durationMs, serverTime }, requestId) {
      const set = {
        completeStartedAt: startedAt,
        completeDurationMs: durationMs,
        completeServerTime: serverTime,
        completeRequestId: requestId,
      }
      orm
        .insert(syncStates)
        .values({ tenantId, resource, ...set })
        .onConflictDoUpdate({ target: [syncStates.tenantId, syncStates.resource], set })
        .run()
    },
  }
}

export function dropWalkRows({ orm }: Database, walkId: number): void {
  orm.delete(walkPages).where(eq(walkPages.walkId, walkId)).run()
  orm.delete(walks).where(eq(walks.id, walkId)).run()
}
