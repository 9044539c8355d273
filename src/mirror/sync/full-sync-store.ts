import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import { SyncError } from '../../model/errors.ts'
import { resourceNames } from '../../model/resource-names.ts'
import type { FullSyncRow, FullSyncStep, SyncStore } from '../port.ts'
import type { QuarantineStore } from '../records/quarantine-store.ts'
import { oneOf } from '../records/record-codec.ts'
import { recordTables } from '../records/record-tables.ts'
import type { Removals } from '../records/removal-store.ts'
import { packRids, type RidSet, ridSet } from '../records/rid-set.ts'
import { fullSyncs } from '../schema/index.ts'
import type { Database, Operations } from '../sqlite/database.ts'
import { absences, leftOut } from './absence.ts'
import type { PageFingerprints } from './page-fingerprint-cache.ts'
import { completion, syncStateWriter } from './sync-states.ts'

const batchSize = 500

type Row = typeof fullSyncs.$inferSelect

function toReadInFull(row: Row): FullSyncRow {
  return { ...row, reachedEnd: row.reachedEnd === 1, unreadable: row.unreadable === 1 }
}

export function fullSyncStore(
  database: Database,
  parts: {
    readonly removals: Removals
    readonly quarantine: QuarantineStore
    readonly fullSyncNotes: FullSyncNotes
    readonly pageFingerprints: PageFingerprints
  },
): Operations<
  Pick<
    SyncStore,
    | 'openFullSync'
    | 'startFullSync'
    | 'dropFullSync'
    | 'fullSyncMoved'
    | 'noteWait'
    | 'cursorSeen'
    | 'absence'
    | 'besideFullSync'
    | 'leftOut'
    | 'completeFullSync'
  >
> {
  const { orm, raw } = database
  const fullSyncById = orm
    .select()
    .from(fullSyncs)
    .where(eq(fullSyncs.id, sql.placeholder('fullSyncId')))
    .prepare()
  const fullSyncOf = orm
    .select()
    .from(fullSyncs)
    .where(
      and(eq(fullSyncs.tenantId, sql.placeholder('tenantId')), eq(fullSyncs.resource, sql.placeholder('resource'))),
    )
    .prepare()
  const insertFullSync = raw
    .prepare<[number, string, number, number, string | null], number>(
      `insert into full_syncs (tenant_id, resource, started_at, progress_at, cursor_before) values (?, ?, ?, ?, ?)
       returning id`,
    )
    .pluck()
  const noteWait = raw.prepare(
    `update full_syncs set wait_ms = case when @until > progress_at then @until - progress_at else 0 end
     where tenant_id = @tenantId and resource = @resource`,
  )
  const ridsOf = raw.prepare<[number], Buffer>('select rids from full_sync_pages where full_sync_id = ?').pluck()
  const ownRidsOf = raw
    .prepare<[number], Buffer>('select rids from full_sync_pages where full_sync_id = ? and page > 0')
    .pluck()
  const insertAgain = raw.prepare('insert into full_sync_pages (full_sync_id, page, rids) values (?, 0, ?)')
  const isAgain = raw.prepare('select 1 from full_sync_pages where full_sync_id = ? and page = 0')
  const pageBefore = raw.prepare('select 1 from full_sync_pages where full_sync_id = ? and cursor_digest = ?')
  const lowestPage = raw
    .prepare<[number], number | null>('select min(page) from full_sync_pages where full_sync_id = ?')
    .pluck()
  const leftOutOf = leftOut(database)
  const putState = syncStateWriter(database)
  const absenceFrom = absences(database, parts.removals)
  const find = (fullSyncId: number): Row => {
    const row = fullSyncById.get({ fullSyncId })
    if (row === undefined) throw fullSyncDropped()
    return row
  }
  return {
    openFullSync: (tenantId, resource) =>
      database.run(() => {
        const row = fullSyncOf.get({ tenantId, resource })
        return row === undefined ? null : toReadInFull(row)
      }),
    startFullSync: ({ tenantId, resource, at, cursorBefore, again = false }) =>
      database.write({ tenantId, resource }, () => {
        const open = fullSyncOf.get({ tenantId, resource })
        if (open !== undefined) parts.fullSyncNotes.drop(open.id)
        parts.quarantine.begin(tenantId, recordTables[resource])
        const id = insertFullSync.get(tenantId, resource, at, at, cursorBefore) ?? 0
        if (again) insertAgain.run(id, packRids([]))
        return toReadInFull(find(id))
      }),
    fullSyncMoved: (fullSyncId) =>
      database.run(async () => {
        const shown = ridSet([])
        for (const [n, page] of ownRidsOf.all(fullSyncId).entries()) {
          if (shown.hasAny(page)) return isAgain.get(fullSyncId) === undefined ? 'moved' : 'moved-again'
          shown.add(page)
          if (n % batchSize === batchSize - 1) await yieldToEventLoop()
        }
        return 'no'
      }),
    dropFullSync: (fullSyncId) => database.write('nothing', () => parts.fullSyncNotes.drop(fullSyncId)),
    noteWait: (tenantId, resource, until) =>
      database.write('nothing', () => void noteWait.run({ until, tenantId, resource })),
    cursorSeen: (fullSyncId, digest) => database.run(() => pageBefore.get(fullSyncId, digest) !== undefined),
    absence: (fullSyncId) =>
      database.run(() => {
        const { tenantId, resource } = find(fullSyncId)
        return absenceFrom(
          { id: fullSyncId, tenantId, resource: oneOf(resourceNames, resource) },
          ridsOf.all(fullSyncId),
        )
      }),
    besideFullSync: (fullSyncId) => database.run(() => Math.min(lowestPage.get(fullSyncId) ?? 0, 0)),
    leftOut: (fullSyncId, before, since) => database.run(() => leftOutOf(find(fullSyncId), before, since)),
    completeFullSync: ({ fullSyncId, at, durationMs, requestId, cursor, reachedEndServerTime, remove, absent }) =>
      database.run(() => {
        const fullSync = find(fullSyncId)
        const { tenantId, startedAt, startServerTime, startRequestId } = fullSync
        const resource = oneOf(resourceNames, fullSync.resource)
        return database.transact({ tenantId, resource }, () => {
          const removed = parts.removals.tombstone(tenantId, resource, remove, {
            at,
            requestId,
            serverTime: startServerTime,
          })
          parts.removals.countAbsence(resource, absent)
          if (fullSync.unreadable === 0) parts.quarantine.release(tenantId, recordTables[resource], fullSyncId)
          const whole = { startedAt, durationMs, serverTime: startServerTime }
          putState(tenantId, resource, {
            ...completion(whole, startRequestId),
            cursor,
            reachedEndServerTime: reachedEndServerTime ?? undefined,
            fullSyncOwed: 0,
            incrementalPaused: 0,
          })
          parts.pageFingerprints.forgetAfter(tenantId, resource, fullSync.pages)
          parts.fullSyncNotes.drop(fullSyncId)
          return { removed }
        })
      }),
  }
}

/** Writes a page's part of the full sync. Call inside a transaction. */
export interface FullSyncNotes {
  /** Returns the number of the page in its full sync; null for an incremental sync beside it. */
  add(step: FullSyncStep, rids: Buffer, items: number, unreadable: boolean, at: number): number | null
  /** True when an earlier page of the full sync itself, not of an incremental sync beside it, returned the record. */
  shown(fullSyncId: number, rid: number): boolean
  drop(fullSyncId: number): void
}

export function fullSyncNotes({ raw }: Database): FullSyncNotes {
  const lowestPage = raw
    .prepare<[number], number | null>('select min(page) from full_sync_pages where full_sync_id = ?')
    .pluck()
  const insertPage = raw.prepare(
    'insert into full_sync_pages (full_sync_id, page, cursor_digest, rids) values (?, ?, ?, ?)',
  )
  const advanceFullSync = raw
    .prepare<(number | string | null)[], number>(
      `update full_syncs set pages = pages + 1, progress_at = ?, wait_ms = 0, full_sync_ms = ?, next_cursor = ?,
         last_cursor = coalesce(?, last_cursor), reached_end = ?, unreadable = case when ? = 1 then 1 else unreadable end,
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
