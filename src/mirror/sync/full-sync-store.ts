import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import type { FullSyncRow, SyncStore } from '../port.ts'
import { absences } from '../records/absence.ts'
import type { QuarantineStore } from '../records/quarantine-store.ts'
import { recordTables } from '../records/record-tables.ts'
import type { Removals } from '../records/removal-store.ts'
import { resourceOf } from '../records/resource-of.ts'
import { packRids, ridSet } from '../records/rid-set.ts'
import { fullSyncs } from '../schema/index.ts'
import type { Database, Operations } from '../sqlite/database.ts'
import { type FullSyncNotes, fullSyncDropped } from './full-sync-pages.ts'
import { leftOut } from './left-out.ts'
import type { PageFingerprints } from './page-fingerprint-cache.ts'
import { syncStateWriter } from './sync-state-writer.ts'

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
  const insertFullSync = raw.prepare(
    'insert into full_syncs (tenant_id, resource, started_at, progress_at, cursor_before) values (?, ?, ?, ?, ?)',
  )
  const noteWait = raw.prepare(
    'update full_syncs set wait_ms = max(0, ? - progress_at) where tenant_id = ? and resource = ?',
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
        const { lastInsertRowid } = insertFullSync.run(tenantId, resource, at, at, cursorBefore)
        if (again) insertAgain.run(lastInsertRowid, packRids([]))
        return toReadInFull(find(Number(lastInsertRowid)))
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
      database.write('nothing', () => void noteWait.run(until, tenantId, resource)),
    cursorSeen: (fullSyncId, digest) => database.run(() => pageBefore.get(fullSyncId, digest) !== undefined),
    absence: (fullSyncId) =>
      database.run(() => {
        const { tenantId, resource } = find(fullSyncId)
        return absenceFrom({ id: fullSyncId, tenantId, resource: resourceOf(resource) }, ridsOf.all(fullSyncId))
      }),
    besideFullSync: (fullSyncId) => database.run(() => Math.min(lowestPage.get(fullSyncId) ?? 0, 0)),
    leftOut: (fullSyncId, before, since) => database.run(() => leftOutOf(find(fullSyncId), before, since)),
    completeFullSync: ({ fullSyncId, at, durationMs, requestId, cursor, reachedEndServerTime, remove, absent }) =>
      database.run(() => {
        const fullSync = find(fullSyncId)
        const { tenantId, startedAt, startServerTime, startRequestId } = fullSync
        const resource = resourceOf(fullSync.resource)
        return database.transact({ tenantId, resource }, () => {
          const removed = parts.removals.tombstone(tenantId, resource, remove, {
            at,
            requestId,
            serverTime: startServerTime,
          })
          parts.removals.countAbsence(resource, absent)
          if (fullSync.unreadable === 0) parts.quarantine.release(tenantId, recordTables[resource], fullSyncId)
          const whole = { startedAt, durationMs, serverTime: startServerTime }
          parts.fullSyncNotes.complete(tenantId, resource, whole, startRequestId)
          if (cursor !== undefined) parts.fullSyncNotes.storeCursor(tenantId, resource, cursor)
          putState(tenantId, resource, {
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
