import { and, eq } from 'drizzle-orm'
import { type Database, transact } from './database.ts'
import type { SyncStore, WalkRow } from './port.ts'
import type { QuarantineStore } from './quarantine-store.ts'
import { recordTables } from './record-tables.ts'
import type { Removals } from './removal-store.ts'
import { resourceOf } from './resource-of.ts'
import { syncStates, walkPages, walks } from './schema/index.ts'
import { dropWalkRows, type WalkNotes } from './walk-notes.ts'

type Row = typeof walks.$inferSelect

function toWalk(row: Row): WalkRow {
  return { ...row, reachedEnd: row.reachedEnd === 1, unreadable: row.unreadable === 1 }
}

/** The life of a walk: begun, advanced by its pages, completed or dropped. */
export function walkStore(
  database: Database,
  parts: { readonly removals: Removals; readonly quarantine: QuarantineStore; readonly walkNotes: WalkNotes },
): Pick<SyncStore, 'openWalk' | 'startWalk' | 'dropWalk' | 'cursorSeen' | 'absence' | 'completeWalk'> {
  const { orm } = database
  const find = (walkId: number): Row => {
    const row = orm.select().from(walks).where(eq(walks.id, walkId)).get()
    if (row === undefined) throw new Error(`Walk ${walkId} is not open`)
    return row
  }
  return {
    async openWalk(tenantId, resource) {
      const row = orm
        .select()
        .from(walks)
        .where(and(eq(walks.tenantId, tenantId), eq(walks.resource, resource)))
        .get()
      return row === undefined ? null : toWalk(row)
    },
    async startWalk({ tenantId, resource, at, cursorBefore }) {
      return transact(database, () => {
        const open = orm
          .select({ id: walks.id })
          .from(walks)
          .where(and(eq(walks.tenantId, tenantId), eq(walks.resource, resource)))
          .get()
        if (open !== undefined) dropWalkRows(database, open.id)
        parts.quarantine.begin(tenantId, recordTables[resource])
        const values = { tenantId, resource, startedAt: at, progressAt: at, cursorBefore }
        return toWalk(orm.insert(walks).values(values).returning().get())
      })
    },
    async dropWalk(walkId) {
      transact(database, () => dropWalkRows(database, walkId))
    },
    async cursorSeen(walkId, digest) {
      const where = and(eq(walkPages.walkId, walkId), eq(walkPages.cursorDigest, digest))
      return orm.select({ page: walkPages.page }).from(walkPages).where(where).get() !== undefined
    },
    async absence(walkId) {
      const { tenantId, resource } = find(walkId)
      const name = resourceOf(resource)
      const seen = orm.select({ rids: walkPages.rids }).from(walkPages).where(eq(walkPages.walkId, walkId)).all()
      const blobs = seen.map((page) => page.rids)
      const live = parts.removals.live(tenantId, name).length
      const absent = parts.removals.liveWithout(tenantId, name, ...blobs)
      return { live, absent: parts.removals.absent(tenantId, name, absent, 1) }
    },
    async completeWalk({ walkId, at, durationMs, requestId, cursor, reachedEndServerTime, remove, absent }) {
      return transact(database, () => {
        const walk = find(walkId)
        const { tenantId } = walk
        const name = resourceOf(walk.resource)
        const removed = parts.removals.bury(tenantId, name, remove, at, requestId)
        parts.removals.countAbsence(name, absent)
        parts.quarantine.release(tenantId, recordTables[name], walkId)
        const { startedAt, startServerTime, startRequestId } = walk
        parts.walkNotes.complete(tenantId, name, { startedAt, durationMs, serverTime: startServerTime }, startRequestId)
        if (cursor !== undefined) parts.walkNotes.storeCursor(tenantId, name, cursor)
        orm
          .update(syncStates)
          .set({ reachedEndServerTime, pollsRest: 0 })
          .where(and(eq(syncStates.tenantId, tenantId), eq(syncStates.resource, name)))
          .run()
        dropWalkRows(database, walkId)
        return { removed }
      })
    },
  }
}
