import { and, eq, sql } from 'drizzle-orm'
import { SyncError } from '../../model/errors.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import { yieldAfter } from '../../model/yield-to-event-loop.ts'
import type { Database, Operations } from '../database.ts'
import { orm } from '../orm.ts'
import type { FullSyncEnd, FullSyncRow, FullSyncStep, SyncStore } from '../port.ts'
import type { QuarantineStore } from '../records/quarantine-store.ts'
import { oneOf } from '../records/record-codec.ts'
import { recordTables } from '../records/record-tables.ts'
import type { Removals } from '../records/removal-store.ts'
import { packRids, type RidSet, ridSet } from '../records/rid-set.ts'
import { fullSyncs } from '../schema/index.ts'
import { ahead, type Step, type Steps } from '../steps.ts'
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
  const fullSyncById = database.select(
    orm
      .select()
      .from(fullSyncs)
      .where(eq(fullSyncs.id, sql.placeholder('fullSyncId'))),
  )
  const fullSyncOf = database.select(
    orm
      .select()
      .from(fullSyncs)
      .where(
        and(eq(fullSyncs.tenantId, sql.placeholder('tenantId')), eq(fullSyncs.resource, sql.placeholder('resource'))),
      ),
  )
  const insertFullSync = database.prepareValues<[number, string, number, number, string | null], number>(
    `insert into full_syncs (tenant_id, resource, started_at, progress_at, cursor_before) values (?, ?, ?, ?, ?)
     returning id`,
  )
  const noteWait = database.prepare<[object]>(
    `update full_syncs set wait_ms = case when @until > progress_at then @until - progress_at else 0 end
     where tenant_id = @tenantId and resource = @resource`,
  )
  const pages = 'from full_sync_pages where full_sync_id = ?'
  const ridsOf = database.prepareValues<[number], Buffer>(`select rids ${pages}`)
  const ownRidsOf = database.prepareValues<[number], Buffer>(`select rids ${pages} and page > 0`)
  const insertAgain = database.prepare<[number, Buffer]>(
    'insert into full_sync_pages (full_sync_id, page, rids) values (?, 0, ?)',
  )
  const isAgain = database.prepare<[number]>(`select 1 ${pages} and page = 0`)
  const pageBefore = database.prepare<[number, string]>(`select 1 ${pages} and cursor_digest = ?`)
  const lowestPage = database.prepareValues<[number], number | null>(`select min(page) ${pages}`)
  const leftOutOf = leftOut(database)
  const putState = syncStateWriter(database)
  const absenceFrom = absences(database, parts.removals)
  function* find(fullSyncId: number): Steps<Row> {
    const row = yield* fullSyncById.get({ fullSyncId })
    if (row === undefined) throw fullSyncDropped()
    return row
  }
  return {
    openFullSync: (tenantId, resource) =>
      database.read(function* () {
        const row = yield* fullSyncOf.get({ tenantId, resource })
        return row === undefined ? null : toReadInFull(row)
      }),
    startFullSync: ({ tenantId, resource, at, cursorBefore, again = false }) =>
      database.write({ tenantId, resource }, function* () {
        const open = yield* fullSyncOf.get({ tenantId, resource })
        if (open !== undefined) yield* parts.fullSyncNotes.drop(open.id)
        yield* parts.quarantine.begin(tenantId, recordTables[resource])
        const id = (yield* insertFullSync.get(tenantId, resource, at, at, cursorBefore)) ?? 0
        if (again) yield* insertAgain.run(id, packRids([]))
        return toReadInFull(yield* find(id))
      }),
    fullSyncMoved: (fullSyncId) =>
      database.run(async () => {
        const shown = ridSet([])
        const turn = yieldAfter(batchSize)
        for (const page of await database.read(() => ownRidsOf.all(fullSyncId))) {
          if (shown.hasAny(page)) {
            return (await database.read(() => isAgain.get(fullSyncId))) === undefined ? 'moved' : 'moved-again'
          }
          shown.add(page)
          await turn()
        }
        return 'no'
      }),
    dropFullSync: (fullSyncId) => database.write('nothing', () => parts.fullSyncNotes.drop(fullSyncId)),
    noteWait: (tenantId, resource, until) =>
      database.write('nothing', () => noteWait.run({ until, tenantId, resource })),
    cursorSeen: (fullSyncId, digest) =>
      database.read(function* () {
        return (yield* pageBefore.get(fullSyncId, digest)) !== undefined
      }),
    absence: (fullSyncId) =>
      database.run(async () => {
        const { fullSync, shown } = await database.read(function* () {
          return { fullSync: yield* find(fullSyncId), shown: yield* ridsOf.all(fullSyncId) }
        })
        return absenceFrom({ ...fullSync, resource: oneOf(resourceNames, fullSync.resource) }, shown)
      }),
    besideFullSync: (fullSyncId) =>
      database.read(function* () {
        return Math.min((yield* lowestPage.get(fullSyncId)) ?? 0, 0)
      }),
    leftOut: (fullSyncId, before, since) =>
      database.run(async () => leftOutOf(await database.read(() => find(fullSyncId)), before, since)),
    completeFullSync: ({ fullSyncId, ...end }) =>
      database.run(async () => {
        const { tenantId, resource: name } = await database.read(() => find(fullSyncId))
        const resource = oneOf(resourceNames, name)
        return database.transact({ tenantId, resource }, function* () {
          return yield* complete(resource, yield* find(fullSyncId), end)
        })
      }),
  }

  function* complete(
    resource: ResourceName,
    { id, tenantId, startedAt, startServerTime, startRequestId, unreadable, pages }: Row,
    {
      at,
      durationMs,
      requestId,
      cursor,
      reachedEndServerTime,
      unsetAt,
      remove,
      absent,
    }: Omit<FullSyncEnd, 'fullSyncId'>,
  ): Steps<{ readonly removed: number }> {
    const removed = yield* parts.removals.tombstone(tenantId, resource, remove, {
      at,
      requestId,
      serverTime: startServerTime ?? unsetAt,
    })
    yield* parts.removals.countAbsence(resource, absent)
    if (unreadable === 0) yield* parts.quarantine.release(tenantId, recordTables[resource], id)
    yield* putState(tenantId, resource, {
      ...completion({ startedAt, durationMs, serverTime: startServerTime }, startRequestId),
      cursor,
      reachedEndServerTime: reachedEndServerTime ?? undefined,
      fullSyncOwed: 0,
      incrementalPaused: 0,
    })
    yield* parts.pageFingerprints.forgetAfter(tenantId, resource, pages)
    yield* parts.fullSyncNotes.drop(id)
    return { removed }
  }
}

/** Writes a page's part of the full sync. Call inside a transaction. */
export interface FullSyncNotes {
  /**
   * Advances the full sync. The returned function writes the ids of the page's records and returns the page's number,
   * or null for an incremental sync beside the full sync.
   */
  adding(step: FullSyncStep, page: NotedPage): Steps<(rids: Buffer) => Steps<number | null>>
  /** The returned function reads the records of earlier pages, without those of an incremental sync beside it. */
  showing(fullSyncId: number): Steps<() => Steps<Pick<RidSet, 'has'>>>
  drop(fullSyncId: number): Steps<void>
}

export interface NotedPage {
  readonly isEmpty: boolean
  /** True if a record has no readable id. */
  readonly unreadable: boolean
  readonly at: number
}

export function fullSyncNotes(database: Database): FullSyncNotes {
  const lowestPage = database.prepareValues<[number], number | null>(
    'select min(page) from full_sync_pages where full_sync_id = ?',
  )
  const insertPage = database.prepare<[id: number, page: number, cursorDigest: string | null, rids: Buffer]>(
    'insert into full_sync_pages (full_sync_id, page, cursor_digest, rids) values (?, ?, ?, ?)',
  )
  const advanceFullSync = database.prepareValues<(number | string | null)[], number>(
    `update full_syncs set pages = pages + 1, progress_at = ?, wait_ms = 0, full_sync_ms = ?, next_cursor = ?,
       last_cursor = coalesce(?, last_cursor), reached_end = ?, unreadable = case when ? = 1 then 1 else unreadable end,
       empty_pages = case when ? = 1 then empty_pages + 1 else 0 end
     where id = ? returning pages`,
  )
  const noteStart = database.prepare<[serverTime: number | null, requestId: string | null, id: number]>(
    'update full_syncs set start_server_time = ?, start_request_id = ? where id = ?',
  )
  const dropPages = database.prepare<[number]>('delete from full_sync_pages where full_sync_id = ?')
  const dropFullSync = database.prepare<[number]>('delete from full_syncs where id = ?')
  const isOpen = database.prepare<[number]>('select 1 from full_syncs where id = ?')
  const noteUnreadable = database.prepare<[number]>('update full_syncs set unreadable = 1 where id = ?')
  const pagesAfter = database.prepare<[number, number], { page: number; rids: Buffer }>(
    'select page, rids from full_sync_pages where full_sync_id = ? and page > ? order by page',
  )
  /** Only of full syncs in which a record differed from the mirror. */
  const shownBy = new Map<number, { pages: number; readonly rids: RidSet }>()
  function* shown(fullSyncId: number, more: () => Step<readonly { page: number; rids: Buffer }[]>) {
    const known = shownBy.get(fullSyncId) ?? { pages: 0, rids: ridSet([]) }
    shownBy.set(fullSyncId, known)
    for (const { page, rids } of yield* more()) {
      known.rids.add(rids)
      known.pages = page
    }
    return known.rids
  }
  return {
    *showing(fullSyncId) {
      const more = () => pagesAfter.all(fullSyncId, shownBy.get(fullSyncId)?.pages ?? 0)
      // If a page differed, the next one may differ, too.
      const early = shownBy.has(fullSyncId) ? { asked: yield* ahead(more()) } : null
      let rids: RidSet | undefined
      return function* () {
        rids ??= yield* shown(fullSyncId, () => (early === null ? more() : early.asked))
        return rids
      }
    },
    *adding({ id, advance }, { isEmpty, unreadable, at }) {
      if (advance === undefined) {
        const open = yield* ahead(isOpen.get(id))
        const lowest = yield* ahead(lowestPage.get(id))
        return function* (rids) {
          if ((yield* open) === undefined) throw fullSyncDropped()
          if (unreadable) yield* noteUnreadable.run(id)
          if (rids.byteLength > 0) yield* insertPage.run(id, Math.min((yield* lowest) ?? 0, 0) - 1, null, rids)
          return null
        }
      }
      const { nextCursor, cursorDigest, reachedEnd, fullSyncMs, start } = advance
      if (start !== undefined) yield* noteStart.run(start.serverTime, start.requestId, id)
      const flags = [reachedEnd ? 1 : 0, unreadable ? 1 : 0, isEmpty ? 1 : 0] as const
      const cursors = [reachedEnd ? null : nextCursor, nextCursor] as const
      const advanced = yield* ahead(advanceFullSync.get(at, fullSyncMs, ...cursors, ...flags, id))
      return function* (rids) {
        const pages = yield* advanced
        if (pages === undefined) throw fullSyncDropped()
        yield* insertPage.run(id, pages, cursorDigest, rids)
        return pages
      }
    },
    *drop(fullSyncId) {
      shownBy.delete(fullSyncId)
      yield* dropPages.run(fullSyncId)
      yield* dropFullSync.run(fullSyncId)
    },
  }
}

/** The error after an operator's decision dropped a full sync while a page was being read. */
export function fullSyncDropped(): SyncError {
  return new SyncError('aborted', 'The full sync was dropped while its page was read')
}
