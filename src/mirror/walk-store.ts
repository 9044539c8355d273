import { setImmediate as letOthersIn } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import { absences } from './absence.ts'
import { type Database, transact } from './database.ts'
import type { KnownPages } from './known-pages.ts'
import { leftOut } from './left-out.ts'
import type { SyncStore, WalkRow } from './port.ts'
import type { QuarantineStore } from './quarantine-store.ts'
import { recordTables } from './record-tables.ts'
import type { Removals } from './removal-store.ts'
import { resourceOf } from './resource-of.ts'
import { packRids, ridSet } from './rid-set.ts'
import { walks } from './schema/index.ts'
import { syncStateWriter } from './sync-state-writer.ts'
import { type WalkNotes, walkDropped } from './walk-notes.ts'

/** Pages between which scrapes and other work may run. */
const batchSize = 500

type Row = typeof walks.$inferSelect

function toWalk(row: Row): WalkRow {
  return { ...row, reachedEnd: row.reachedEnd === 1, unreadable: row.unreadable === 1 }
}

/** The life of a walk: begun, advanced by its pages, completed or dropped. */
export function walkStore(
  database: Database,
  parts: {
    readonly removals: Removals
    readonly quarantine: QuarantineStore
    readonly walkNotes: WalkNotes
    readonly knownPages: KnownPages
  },
): Pick<
  SyncStore,
  | 'openWalk'
  | 'startWalk'
  | 'dropWalk'
  | 'walkMoved'
  | 'noteWait'
  | 'cursorSeen'
  | 'absence'
  | 'besideWalk'
  | 'leftOut'
  | 'completeWalk'
> {
  const { orm, raw } = database
  const walkById = orm
    .select()
    .from(walks)
    .where(eq(walks.id, sql.placeholder('walkId')))
    .prepare()
  const walkOf = orm
    .select()
    .from(walks)
    .where(and(eq(walks.tenantId, sql.placeholder('tenantId')), eq(walks.resource, sql.placeholder('resource'))))
    .prepare()
  const insertWalk = raw.prepare(
    'insert into walks (tenant_id, resource, started_at, progress_at, cursor_before) values (?, ?, ?, ?, ?)',
  )
  const noteWait = raw.prepare(
    'update walks set wait_ms = max(0, ? - progress_at) where tenant_id = ? and resource = ?',
  )
  const ridsOf = raw.prepare<[number], Buffer>('select rids from walk_pages where walk_id = ?').pluck()
  const ownRidsOf = raw.prepare<[number], Buffer>('select rids from walk_pages where walk_id = ? and page > 0').pluck()
  const insertAgain = raw.prepare('insert into walk_pages (walk_id, page, rids) values (?, 0, ?)')
  const isAgain = raw.prepare('select 1 from walk_pages where walk_id = ? and page = 0')
  const pageBefore = raw.prepare('select 1 from walk_pages where walk_id = ? and cursor_digest = ?')
  const lowestPage = raw.prepare<[number], number | null>('select min(page) from walk_pages where walk_id = ?').pluck()
  const leftOutOf = leftOut(database)
  const putState = syncStateWriter(database)
  const absenceFrom = absences(database, parts.removals)
  const find = (walkId: number): Row => {
    const row = walkById.get({ walkId })
    if (row === undefined) throw walkDropped()
    return row
  }
  return {
    async openWalk(tenantId, resource) {
      const row = walkOf.get({ tenantId, resource })
      return row === undefined ? null : toWalk(row)
    },
    async startWalk({ tenantId, resource, at, cursorBefore, again = false }) {
      return transact(database, () => {
        const open = walkOf.get({ tenantId, resource })
        if (open !== undefined) parts.walkNotes.drop(open.id)
        parts.quarantine.begin(tenantId, recordTables[resource])
        const { lastInsertRowid } = insertWalk.run(tenantId, resource, at, at, cursorBefore)
        if (again) insertAgain.run(lastInsertRowid, packRids([]))
        return toWalk(find(Number(lastInsertRowid)))
      })
    },
    async walkMoved(walkId) {
      const shown = ridSet([])
      for (const [n, page] of ownRidsOf.all(walkId).entries()) {
        if (shown.hasAny(page)) return isAgain.get(walkId) === undefined ? 'moved' : 'moved-again'
        shown.add(page)
        if (n % batchSize === batchSize - 1) await letOthersIn()
      }
      return 'no'
    },
    async dropWalk(walkId) {
      transact(database, () => parts.walkNotes.drop(walkId))
    },
    async noteWait(tenantId, resource, until) {
      noteWait.run(until, tenantId, resource)
    },
    async cursorSeen(walkId, digest) {
      return pageBefore.get(walkId, digest) !== undefined
    },
    async absence(walkId) {
      const { tenantId, resource } = find(walkId)
      return absenceFrom({ id: walkId, tenantId, resource: resourceOf(resource) }, ridsOf.all(walkId))
    },
    async besideWalk(walkId) {
      return Math.min(lowestPage.get(walkId) ?? 0, 0)
    },
    async leftOut(walkId, before, since) {
      return leftOutOf(find(walkId), before, since)
    },
    async completeWalk({ walkId, at, durationMs, requestId, cursor, reachedEndServerTime, remove, absent }) {
      return transact(database, () => {
        const walk = find(walkId)
        const { tenantId } = walk
        const name = resourceOf(walk.resource)
        const removed = parts.removals.bury(tenantId, name, remove, { at, requestId, serverTime: walk.startServerTime })
        parts.removals.countAbsence(name, absent)
        if (walk.unreadable === 0) parts.quarantine.release(tenantId, recordTables[name], walkId)
        const { startedAt, startServerTime, startRequestId } = walk
        parts.walkNotes.complete(tenantId, name, { startedAt, durationMs, serverTime: startServerTime }, startRequestId)
        if (cursor !== undefined) parts.walkNotes.storeCursor(tenantId, name, cursor)
        putState(tenantId, name, {
          reachedEndServerTime: reachedEndServerTime ?? undefined,
          sweepOwed: 0,
          pollsRest: 0,
        })
        parts.knownPages.forgetAfter(tenantId, name, walk.pages)
        parts.walkNotes.drop(walkId)
        return { removed }
      })
    },
  }
}
