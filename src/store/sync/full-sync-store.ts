import { SyncError } from '../../model/errors.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import type { FullSyncEnd, FullSyncRow, FullSyncStep, SyncStore } from '../port.ts'
import { absentRecords, countAbsence, endQuarantine, removeRecords } from '../records/removals.ts'
import { packRids, type RidSet, ridSet } from '../records/rid-set.ts'
import { oneOf } from '../words.ts'
import { completion, saveState } from './sync-states.ts'

interface Row extends Omit<FullSyncRow, 'notWhole' | 'reachedEnd'> {
  readonly tenantId: number
  readonly resource: string
  readonly reachedEnd: number
  readonly notWhole: number
}

const columns = `id, tenant_id as "tenantId", resource, started_at as "startedAt", start_server_time as "startServerTime",
  start_request_id as "startRequestId", progress_at as "progressAt", full_sync_ms as "fullSyncMs", wait_ms as "waitMs",
  pages, next_cursor as "nextCursor", last_cursor as "lastCursor", cursor_before as "cursorBefore",
  reached_end as "reachedEnd", not_whole as "notWhole", empty_pages as "emptyPages"`

function toFullSync({ reachedEnd, notWhole, ...row }: Row): FullSyncRow {
  return { ...row, reachedEnd: reachedEnd === 1, notWhole: notWhole === 1 }
}

async function openFullSync(sql: Sql, tenantId: number, resource: string): Promise<Row | undefined> {
  const text = `select ${columns} from full_syncs where tenant_id = ? and resource = ?`
  return (await sql<Row>(text, [tenantId, resource]))[0]
}

async function fullSyncById(sql: Sql, id: number): Promise<Row> {
  const [row] = await sql<Row>(`select ${columns} from full_syncs where id = ?`, [id])
  if (row === undefined) throw fullSyncDropped()
  return row
}

async function dropFullSync(sql: Sql, id: number): Promise<void> {
  await sql('delete from full_sync_pages where full_sync_id = ?', [id])
  await sql('delete from full_syncs where id = ?', [id])
}

async function seenRids(sql: Sql, id: number): Promise<RidSet> {
  return ridSet(await sql<Buffer>('select rids from full_sync_pages where full_sync_id = ?', [id], 'values'))
}

type Part = Pick<
  SyncStore,
  'absence' | 'completeFullSync' | 'cursorSeen' | 'dropFullSync' | 'noteWait' | 'openFullSync' | 'startFullSync'
>

export function fullSyncStore(database: Database, passes: PassPages): Part {
  return {
    openFullSync: (tenantId, resource) =>
      database.read(async (sql) => {
        const row = await openFullSync(sql, tenantId, resource)
        return row === undefined ? null : toFullSync(row)
      }),
    startFullSync: ({ tenantId, resource, at, cursorBefore }) =>
      database.write({ tenantId, resource }, async (sql) => {
        const open = await openFullSync(sql, tenantId, resource)
        if (open !== undefined) await dropFullSync(sql, open.id)
        // SQLite gives out the ids of deleted rows again.
        const [id = 0] = await sql<number>(
          `insert into full_syncs (tenant_id, resource, started_at, progress_at, cursor_before)
           values (?, ?, ?, ?, ?) returning id`,
          [tenantId, resource, at, at, cursorBefore],
          'values',
        )
        passes.forget(id)
        return toFullSync(await fullSyncById(sql, id))
      }),
    dropFullSync: (id) => database.write('nothing', (sql) => dropFullSync(sql, id)),
    noteWait: (tenantId, resource, until) =>
      database.write('nothing', async (sql) => {
        await sql(
          `update full_syncs set wait_ms = case when @until > progress_at then @until - progress_at else 0 end
           where tenant_id = @tenantId and resource = @resource`,
          [{ tenantId, resource, until }],
        )
      }),
    cursorSeen: (id, digest) =>
      database.read(async (sql) => {
        const text = 'select 1 from full_sync_pages where full_sync_id = ? and cursor_digest = ?'
        return (await sql(text, [id, digest])).length > 0
      }),
    absence: async (id) => {
      const { of, seen } = await database.read(async (sql) => {
        return { of: await fullSyncById(sql, id), seen: await seenRids(sql, id) }
      })
      return absentRecords(database, { ...of, resource: oneOf(resourceNames, of.resource) }, seen)
    },
    completeFullSync: async ({ fullSyncId, ...end }) => {
      const { tenantId, resource: name } = await database.read((sql) => fullSyncById(sql, fullSyncId))
      const resource = oneOf(resourceNames, name)
      return database.write({ tenantId, resource }, async (sql) =>
        complete(sql, database, resource, await fullSyncById(sql, fullSyncId), end),
      )
    },
  }
}

async function complete(
  sql: Sql,
  database: Database,
  resource: ResourceName,
  { id, tenantId, startedAt, startServerTime, startRequestId, notWhole }: Row,
  {
    at,
    durationMs,
    requestId,
    cursor,
    reachedEndServerTime,
    removedAt,
    remove,
    absent,
  }: Omit<FullSyncEnd, 'fullSyncId'>,
): Promise<{ readonly removed: number }> {
  const removed = await removeRecords(sql, database, { tenantId, resource, at, removedAt, requestId }, remove)
  await countAbsence(sql, database, absent)
  if (notWhole === 0) await endQuarantine(sql, database, { tenantId, resource }, await seenRids(sql, id))
  await saveState(sql, tenantId, resource, {
    ...completion({ startedAt, durationMs, serverTime: startServerTime }, startRequestId),
    firstCompleteAt: at,
    cursor,
    reachedEndServerTime: reachedEndServerTime ?? undefined,
    fullSyncOwed: 0,
    incrementalPaused: 0,
  })
  await dropFullSync(sql, id)
  return { removed }
}

export interface PassPage {
  readonly isEmpty: boolean
  /** True if a record has no readable id, or contradicts an earlier one: the pass removes nothing. */
  readonly notWhole: boolean
  readonly at: number
  readonly rids: readonly number[]
}

/** Open full syncs whose records are kept in memory. */
const mostPasses = 64

/** Pages of open full syncs. Call inside the transaction of the page. */
export class PassPages {
  /** Records of earlier pages, by full sync. */
  readonly #seen = new Map<number, RidSet>()

  async seen(sql: Sql, id: number): Promise<RidSet> {
    const known = this.#seen.get(id)
    if (known !== undefined) return known
    const seen = await seenRids(sql, id)
    const [oldest] = this.#seen.keys()
    if (this.#seen.size >= mostPasses && oldest !== undefined) this.#seen.delete(oldest)
    this.#seen.set(id, seen)
    return seen
  }

  forget(id: number): void {
    this.#seen.delete(id)
  }

  /** Call once the page is committed. */
  add(id: number, rids: readonly number[]): void {
    if (rids.length > 0) this.#seen.get(id)?.add(packRids(rids))
  }

  async advance(sql: Sql, { id, advance }: FullSyncStep, { isEmpty, notWhole, at, rids }: PassPage): Promise<void> {
    const flag = notWhole ? 1 : 0
    const set =
      advance === undefined
        ? await sql(
            'update full_syncs set not_whole = case when ? = 1 then 1 else not_whole end where id = ? returning id',
            [flag, id],
          )
        : await sql(
            `update full_syncs set pages = pages + 1, progress_at = @at, wait_ms = 0, full_sync_ms = @fullSyncMs,
               next_cursor = @next, last_cursor = coalesce(@last, last_cursor), reached_end = @reachedEnd,
               not_whole = case when @notWhole = 1 then 1 else not_whole end,
               empty_pages = case when @isEmpty = 1 then empty_pages + 1 else 0 end,
               start_server_time = case when @isFirst = 1 then @serverTime else start_server_time end,
               start_request_id = case when @isFirst = 1 then @requestId else start_request_id end
             where id = @id returning id`,
            [
              {
                id,
                at,
                fullSyncMs: advance.fullSyncMs,
                next: advance.reachedEnd ? null : advance.nextCursor,
                last: advance.nextCursor,
                reachedEnd: advance.reachedEnd ? 1 : 0,
                notWhole: flag,
                isEmpty: isEmpty ? 1 : 0,
                isFirst: advance.start === undefined ? 0 : 1,
                serverTime: advance.start?.serverTime ?? null,
                requestId: advance.start?.requestId ?? null,
              },
            ],
          )
    if (set.length === 0) throw fullSyncDropped()
    if (advance === undefined && rids.length === 0) return
    await sql(
      `insert into full_sync_pages (full_sync_id, page, cursor_digest, rids)
       values (@id, (select coalesce(max(page), 0) + 1 from full_sync_pages where full_sync_id = @id), @digest, @rids)`,
      [{ id, digest: advance?.cursorDigest ?? null, rids: packRids(rids) }],
    )
  }
}

/** The error after an operator's decision dropped a full sync while a page was being read. */
export function fullSyncDropped(): SyncError {
  return new SyncError('aborted', 'The full sync was dropped while its page was read')
}
