import { and, eq, sql } from 'drizzle-orm'
import { SyncError } from '../../model/errors.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import { yieldAfter } from '../../model/yield-to-event-loop.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { orm } from '../orm.ts'
import type { FullSyncEnd, FullSyncRow, FullSyncStep, SyncStore } from '../port.ts'
import type { QuarantineStore } from '../records/quarantine-store.ts'
import { oneOf } from '../records/record-codec.ts'
import { recordTables } from '../records/record-tables.ts'
import type { Removals } from '../records/removal-store.ts'
import { packRids, type RidSet, ridSet } from '../records/rid-set.ts'
import { fullSyncs } from '../schema/index.ts'
import { absences, leftOut } from './absence.ts'
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
  },
): Pick<
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
  async function find(tx: Sql, fullSyncId: number): Promise<Row> {
    const row = await fullSyncById.get(tx, { fullSyncId })
    if (row === undefined) throw fullSyncDropped()
    return row
  }
  return {
    openFullSync: (tenantId, resource) =>
      database.read(async (tx) => {
        const row = await fullSyncOf.get(tx, { tenantId, resource })
        return row === undefined ? null : toReadInFull(row)
      }),
    startFullSync: ({ tenantId, resource, at, cursorBefore, again = false }) =>
      database.write({ tenantId, resource }, async (tx) => {
        const open = await fullSyncOf.get(tx, { tenantId, resource })
        if (open !== undefined) await parts.fullSyncNotes.drop(tx, open.id)
        await parts.quarantine.begin(tx, tenantId, recordTables[resource])
        const id = (await insertFullSync.get(tx, tenantId, resource, at, at, cursorBefore)) ?? 0
        if (again) await insertAgain.run(tx, id, packRids([]))
        return toReadInFull(await find(tx, id))
      }),
    fullSyncMoved: async (fullSyncId) => {
      const shown = ridSet([])
      const turn = yieldAfter(batchSize)
      for (const page of await database.read((tx) => ownRidsOf.all(tx, fullSyncId))) {
        if (shown.hasAny(page)) {
          return (await database.read((tx) => isAgain.get(tx, fullSyncId))) === undefined ? 'moved' : 'moved-again'
        }
        shown.add(page)
        await turn()
      }
      return 'no'
    },
    dropFullSync: (fullSyncId) => database.write('nothing', (tx) => parts.fullSyncNotes.drop(tx, fullSyncId)),
    noteWait: (tenantId, resource, until) =>
      database.write('nothing', (tx) => noteWait.run(tx, { until, tenantId, resource })),
    cursorSeen: (fullSyncId, digest) =>
      database.read(async (tx) => {
        return (await pageBefore.get(tx, fullSyncId, digest)) !== undefined
      }),
    absence: async (fullSyncId) => {
      const { fullSync, shown } = await database.read(async (tx) => {
        return { fullSync: await find(tx, fullSyncId), shown: await ridsOf.all(tx, fullSyncId) }
      })
      return absenceFrom({ ...fullSync, resource: oneOf(resourceNames, fullSync.resource) }, shown)
    },
    besideFullSync: (fullSyncId) =>
      database.read(async (tx) => {
        return Math.min((await lowestPage.get(tx, fullSyncId)) ?? 0, 0)
      }),
    leftOut: async (fullSyncId, before, since) =>
      leftOutOf(await database.read((tx) => find(tx, fullSyncId)), before, since),
    completeFullSync: async ({ fullSyncId, ...end }) => {
      const { tenantId, resource: name } = await database.read((tx) => find(tx, fullSyncId))
      const resource = oneOf(resourceNames, name)
      return database.write({ tenantId, resource }, async (tx) => {
        return await complete(tx, resource, await find(tx, fullSyncId), end)
      })
    },
  }

  async function complete(
    tx: Sql,
    resource: ResourceName,
    { id, tenantId, startedAt, startServerTime, startRequestId, unreadable }: Row,
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
  ): Promise<{ readonly removed: number }> {
    const removed = await parts.removals.tombstone(tx, tenantId, resource, remove, {
      at,
      requestId,
      serverTime: startServerTime ?? unsetAt,
    })
    await parts.removals.countAbsence(tx, resource, absent)
    if (unreadable === 0) await parts.quarantine.release(tx, tenantId, recordTables[resource], id)
    await putState(tx, tenantId, resource, {
      ...completion({ startedAt, durationMs, serverTime: startServerTime }, startRequestId),
      cursor,
      reachedEndServerTime: reachedEndServerTime ?? undefined,
      fullSyncOwed: 0,
      incrementalPaused: 0,
    })
    await parts.fullSyncNotes.drop(tx, id)
    return { removed }
  }
}

/** Writes a page's part of the full sync. Call inside a transaction. */
export interface FullSyncNotes {
  /** Advances the full sync, unless the page is of an incremental sync beside it, and writes the ids of the page's records. */
  add(tx: Sql, step: FullSyncStep, page: NotedPage): Promise<void>
  /** Records of earlier pages, without those of an incremental sync beside it. */
  seenBefore(tx: Sql, fullSyncId: number): Promise<Pick<RidSet, 'has'>>
  drop(tx: Sql, fullSyncId: number): Promise<void>
}

export interface NotedPage {
  readonly isEmpty: boolean
  /** True if a record has no readable id. */
  readonly unreadable: boolean
  readonly at: number
  readonly rids: Buffer
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
  const seenBy = new Map<number, { pages: number; readonly rids: RidSet }>()
  return {
    async seenBefore(tx, fullSyncId) {
      const seen = seenBy.get(fullSyncId) ?? { pages: 0, rids: ridSet([]) }
      seenBy.set(fullSyncId, seen)
      for (const { page, rids } of await pagesAfter.all(tx, fullSyncId, seen.pages)) {
        seen.rids.add(rids)
        seen.pages = page
      }
      return seen.rids
    },
    async add(tx, { id, advance }, { isEmpty, unreadable, at, rids }) {
      if (advance === undefined) {
        if ((await isOpen.get(tx, id)) === undefined) throw fullSyncDropped()
        if (unreadable) await noteUnreadable.run(tx, id)
        const lowest = Math.min((await lowestPage.get(tx, id)) ?? 0, 0)
        if (rids.byteLength > 0) await insertPage.run(tx, id, lowest - 1, null, rids)
        return
      }
      const { nextCursor, cursorDigest, reachedEnd, fullSyncMs, start } = advance
      if (start !== undefined) await noteStart.run(tx, start.serverTime, start.requestId, id)
      const flags = [reachedEnd ? 1 : 0, unreadable ? 1 : 0, isEmpty ? 1 : 0] as const
      const cursors = [reachedEnd ? null : nextCursor, nextCursor] as const
      const pages = await advanceFullSync.get(tx, at, fullSyncMs, ...cursors, ...flags, id)
      if (pages === undefined) throw fullSyncDropped()
      await insertPage.run(tx, id, pages, cursorDigest, rids)
    },
    async drop(tx, fullSyncId) {
      seenBy.delete(fullSyncId)
      await dropPages.run(tx, fullSyncId)
      await dropFullSync.run(tx, fullSyncId)
    },
  }
}

/** The error after an operator's decision dropped a full sync while a page was being read. */
export function fullSyncDropped(): SyncError {
  return new SyncError('aborted', 'The full sync was dropped while its page was read')
}
