import { SyncError } from '../../model/errors.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Db, Sql } from '../db/db.ts'
import { absentRecords, endQuarantine, markMissing, removalBudget, removeRecords } from '../records/removals.ts'
import { insertRow, selectRows, updateRows } from '../rows.ts'
import { fullSyncs } from '../schema/index.ts'
import { packRids, type RidSet, readSeen } from './seen-records.ts'
import type {
  BudgetQuery,
  FullSyncEnd,
  FullSyncRow,
  FullSyncStep,
  LookUps,
  MissingRecord,
  OfResource,
} from './sync-port.ts'
import { raiseVersion, saveCompletion } from './sync-states.ts'

async function openRow(sql: Sql, tenantId: number, resource: ResourceName): Promise<FullSyncRow | null> {
  const [row = null] = await selectRows(sql, fullSyncs, 'where tenant_id = ? and resource = ?', [tenantId, resource])
  return row
}

async function rowById(sql: Sql, id: number): Promise<FullSyncRow> {
  const [row] = await selectRows(sql, fullSyncs, 'where id = ?', [id])
  if (row === undefined) throw fullSyncDropped()
  return row
}

async function dropFullSync(sql: Sql, id: number): Promise<void> {
  await sql('delete from full_sync_pages where full_sync_id = ?', [id])
  await sql('delete from full_syncs where id = ?', [id])
}

/** Full syncs and the removals that they lead to. */
export function fullSyncStore(db: Db) {
  const { isIn } = db.dialect
  return {
    openFullSync: (tenantId: number, resource: ResourceName) => db.read((sql) => openRow(sql, tenantId, resource)),
    /** Drops an open one. */
    startFullSync: ({ at, ...start }: OfResource & { readonly at: number; readonly cursorBefore: string | null }) =>
      db.write(async (sql) => {
        const open = await openRow(sql, start.tenantId, start.resource)
        if (open !== null) await dropFullSync(sql, open.id)
        await insertRow(sql, fullSyncs, { ...start, startedAt: at, progressAt: at })
        const row = await openRow(sql, start.tenantId, start.resource)
        if (row === null) throw new Error('The full sync was not stored')
        return row
      }),
    dropFullSync: (id: number) => db.write((sql) => dropFullSync(sql, id)),
    /** Stores a wait that the server requested, during which the open full sync is not idle. */
    noteWait: (tenantId: number, resource: ResourceName, until: number) =>
      db.write(async (sql) => {
        await sql(
          `update full_syncs set wait_ms = case when @until > progress_at then @until - progress_at else 0 end
           where tenant_id = @tenantId and resource = @resource`,
          [{ tenantId, resource, until }],
        )
      }),
    /** The records that the pages of a full sync have returned so far. */
    seenIn: (id: number) => db.read((sql) => readSeen(sql, id)),
    absence: async (id: number, seen: RidSet) => absentRecords(db, await db.read((sql) => rowById(sql, id)), seen),
    /** Resolves with the number of records removed. */
    completeFullSync: ({ fullSyncId, seen, ...end }: FullSyncEnd) =>
      db.write(async (sql) => {
        const row = await rowById(sql, fullSyncId)
        const { tenantId, resource, startedAt, startServerTime: serverTime, startRequestId: requestId } = row
        const removal = { tenantId, resource, at: end.at, requestId }
        const removed = await removeRecords(sql, removal, end.remove, end.removedAt)
        await markMissing(sql, end.missing, end.at)
        await sql(`update records set absent = absent + 1 where ${isIn('rid')}`, [end.absent])
        await endProvisional(sql, row, seen)
        const ended = await endQuarantine(sql, row, seen, row.notWhole)
        const changed = end.remove.length + end.missing.length + end.absent.length + ended
        if (changed > 0) await raiseVersion(sql, tenantId, resource)
        await saveCompletion(
          sql,
          row,
          { startedAt, durationMs: end.durationMs, serverTime },
          {
            at: end.at,
            requestId,
            cursor: end.cursor,
            reachedEndServerTime: serverTime ?? undefined,
            fullSyncOwed: false,
            incrementalPaused: false,
          },
        )
        await dropFullSync(sql, fullSyncId)
        return removed
      }),
    removalBudget: (query: BudgetQuery) => db.write((sql) => removalBudget(sql, query)),
    /** Missing records, least recently looked up first. */
    missing: (query: OfResource & { readonly limit: number; readonly onlyAccepted: boolean }) =>
      db.read((sql) =>
        sql<MissingRecord>(
          `select rid, key, missing_since as "missingSince", looked_up_at as "lookedUpAt" from records
           where tenant_id = @tenantId and resource = @resource and missing_since is not null and removed_at is null
             and (@onlyAccepted = 0 or accepted = 1)
           order by looked_up_at is not null, looked_up_at, accepted desc, missing_since, rid limit @limit`,
          [{ ...query, onlyAccepted: query.onlyAccepted ? 1 : 0 }],
        ),
      ),
    /** Stores answers by id; resolves with the number of records removed. */
    async saveLookUps({ at, asked, existing, removed, removedAt, ...of }: LookUps) {
      if (asked.length === 0) return 0
      return db.write(async (sql) => {
        await sql(`update records set looked_up_at = ? where ${isIn('rid')}`, [at, asked])
        await sql(`update records set missing_since = null, absent = 0, accepted = 0 where ${isIn('rid')}`, [existing])
        let count = 0
        for (const { rid, requestId } of removed)
          count += await removeRecords(sql, { ...of, at, requestId }, [rid], removedAt)
        if (existing.length + removed.length > 0) await raiseVersion(sql, of.tenantId, of.resource)
        return count
      })
    },
    /** True if an operator accepted removals that are still to be made. */
    awaitsRemovals: (tenantId: number, resource: ResourceName) =>
      db.read(async (sql) => {
        const text = `select 1 from records where tenant_id = ? and resource = ? and accepted = 1 and removed_at is null limit 1`
        return (await sql(text, [tenantId, resource])).length > 0
      }),
    withdrawAcceptedRemovals: (tenantId: number, resource: ResourceName | null = null) =>
      db.write(async (sql) => {
        const text = `update records set accepted = 0
          where tenant_id = ? and resource = coalesce(?, resource) and accepted = 1 and removed_at is null`
        await sql(text, [tenantId, resource])
      }),
  }
}

export interface ReadPage {
  /** True if a record has no readable id, or contradicts an earlier one: the full sync removes nothing. */
  readonly notWhole: boolean
  readonly at: number
  readonly rids: readonly number[]
}

/** Advances a full sync by a page. Call inside the transaction of the page. */
export async function advanceFullSync(
  sql: Sql,
  { id, next }: FullSyncStep,
  { notWhole, at, rids }: ReadPage,
): Promise<void> {
  const progress = next && { ...next, progressAt: at, waitMs: 0 }
  // With the id, so that there is a row to find where nothing else changes.
  const change = { id, ...progress, notWhole: notWhole || undefined }
  if ((await updateRows(sql, fullSyncs, change, 'id = ?', [id])) === 0) throw fullSyncDropped()
  if (rids.length === 0) return
  await sql(
    `insert into full_sync_pages (full_sync_id, page, rids)
     values (@id, (select coalesce(max(page), 0) + 1 from full_sync_pages where full_sync_id = @id), @rids)`,
    [{ id, rids: packRids(rids) }],
  )
}

/** The error after an operator's decision dropped a full sync while a page was being read. */
function fullSyncDropped(): SyncError {
  return new SyncError('aborted', 'The full sync was dropped while its page was read')
}

/**
 * A record that two full syncs returned beside one that identifies the tenant identifies it, too: small pages may never have
 * both. Where none of the list is live, another list proved the tenant. A record of this full sync was first seen after it
 * began.
 */
async function endProvisional(sql: Sql, row: FullSyncRow, seen: RidSet): Promise<void> {
  const ridsOf = async (which: string) => await sql<number>(`${liveRids} and ${which}`, [row], 'values')
  const returned = (await ridsOf('provisional = 1 and first_seen_at < @startedAt')).filter((rid) => seen.has(rid))
  if (returned.length === 0) return
  const known = await ridsOf('provisional = 0')
  if (known.length === 0 || known.some((rid) => seen.has(rid)))
    await sql(`update records set provisional = 0 where ${sql.dialect.isIn('rid')}`, [returned])
}

const liveRids = 'select rid from records where tenant_id = @tenantId and resource = @resource and removed_at is null'
