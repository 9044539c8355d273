import { createHash } from 'node:crypto'
import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { List, Sql } from '../db/db.ts'
import type { Incoming } from '../port.ts'
import { columnOf, leastKey, type RecordTable, recordTables } from './record-tables.ts'
import { olderVersion } from './repeats.ts'

const isOlder = `problem like '${olderVersion}%'`

/** Prefix of the key of a record that an answer by id contradicts; the list does not end such a contradiction. */
export const contradictedMark = '!'

/** Condition on a row of `quarantine`. */
const isContradicted = `key like '${contradictedMark}%'`

const maxRawLength = 64 * 1024

/** Full sync id for a list that comes in one answer; ids of stored full syncs begin at 1. */
export const unbrokenFullSync = 0

export interface QuarantineContext {
  readonly tenantId: number
  readonly at: number
  readonly requestId: string | null
  readonly fullSyncId: number | null
}

export interface QuarantinedRecord {
  /** Negative and derived from the key; ids of mirrored records are positive. */
  readonly rid: number
  readonly key: string
  readonly fullSyncs: number
  readonly fullSyncId: number | null
}

export function quarantineRid(key: string): number {
  return -1 - createHash('sha256').update(key).digest().readUIntBE(0, 6)
}

export interface QuarantineStore {
  quarantineRecord(
    tx: Sql,
    table: RecordTable,
    item: Incoming & { ok: false },
    context: QuarantineContext,
  ): Promise<string | number | null>
  /** Call when a full sync begins: clears the marks of earlier full syncs, whose ids can be reused. */
  begin(tx: Sql, tenantId: number, table: RecordTable): Promise<void>
  /** Drops records returned as valid, and unreadable ones absent twice; with `unbrokenFullSync`, every absent one. */
  release(tx: Sql, tenantId: number, table: RecordTable, fullSyncId: number): Promise<void>
  withoutLive(tx: Sql, tenantId: number, table: RecordTable): Promise<readonly QuarantinedRecord[]>
  drop(tx: Sql, tenantId: number, table: RecordTable, key: string): Promise<void>
  /** Whether an older version is quarantined; `alone` if the last complete full sync returned no other version. */
  older(tx: Sql, tenantId: number, table: RecordTable, key: string): Promise<'alone' | 'quarantined' | null>
  /** Drops older versions of records that a page returned in the known or a newer version. */
  releaseOlder(tx: Sql, tenantId: number, table: RecordTable, rids: readonly number[]): Promise<void>
  knows(tx: Sql, tenantId: number, table: RecordTable, key: string): Promise<boolean>
  /** Quarantines a mirrored record that an answer by id contradicts, until one agrees or the record is removed. */
  contradict(
    tx: Sql,
    table: RecordTable,
    key: string,
    fields: readonly string[],
    context: QuarantineContext,
  ): Promise<void>
  agree(tx: Sql, tenantId: number, table: RecordTable, key: string): Promise<void>
  /** Ends all contradictions of a resource, if its records are no longer read by id. */
  agreeAll(tx: Sql, tenantId: number, table: RecordTable): Promise<void>
  anyContradicted(tx: Sql, tenantId: number, table: RecordTable): Promise<boolean>
  containsAny(tx: Sql, tenantId: number, table: RecordTable): Promise<boolean>
}

export function quarantineStore(database: Database): QuarantineStore {
  const { isIn, listOf } = database.sql
  type OfResource = readonly [tenantId: number, resource: string]
  type OfKey = readonly [...OfResource, key: string]
  type OfFullSync = readonly [...OfResource, fullSyncId: number]
  const upsert = database.prepare<[...OfKey, string, string, number, number, string | null, number | null]>(
    `insert into quarantine (tenant_id, resource, key, raw, problem, first_seen_at, last_seen_at, request_id, full_sync_id)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (tenant_id, resource, key) do update set raw = excluded.raw, problem = excluded.problem,
       last_seen_at = excluded.last_seen_at, request_id = excluded.request_id, full_sync_id = excluded.full_sync_id, absent_full_syncs = 0`,
  )
  const unmark = database.prepare<OfResource>(
    'update quarantine set full_sync_id = null where tenant_id = ? and resource = ? and full_sync_id is not null',
  )
  const unseen = 'tenant_id = ? and resource = ? and full_sync_id is distinct from ?'
  const statements = memoize((resource: ResourceName) => {
    const record = recordTables[resource]
    const { table, key } = record
    const column = columnOf(record, key)
    const ofRecord = `case when ${isContradicted} then substr(quarantine.key, 2) else quarantine.key end`
    const stored = `case when quarantine.key not like '?%' then cast(${ofRecord} as bigint) end`
    const live = `select 1 from "${getTableName(table)}" r where r.tenant_id = quarantine.tenant_id
      and r.${column} = ${typeof leastKey(record) === 'number' ? stored : ofRecord} and r.removed_at is null`
    return {
      releaseOlder: database.prepare<[...OfResource, List]>(
        `delete from quarantine where tenant_id = ? and resource = ? and ${isOlder} and key in
           (select cast(r.${column} as text) from "${getTableName(table)}" r where ${isIn('r.rid')})`,
      ),
      // Keeps the quarantined version of an absent live record, whose removal is not decided yet.
      release: database.prepare<OfFullSync>(
        `delete from quarantine where ${unseen} and case when ${isContradicted} then not exists (${live})
           else (key like '?%' and absent_full_syncs > 0)
             or exists (${live} and r.absent_full_syncs = 0 and r.missing_since is null) end`,
      ),
      withoutLive: database.prepare<OfResource, Omit<QuarantinedRecord, 'rid'>>(
        `select key, absent_full_syncs as "fullSyncs", full_sync_id as "fullSyncId" from quarantine
         where tenant_id = ? and resource = ? and key not like '?%' and not ${isContradicted} and not exists (${live}) order by absent_full_syncs, key`,
      ),
    }
  })
  const countAbsence = database.prepare<OfFullSync>(
    `update quarantine set absent_full_syncs = absent_full_syncs + 1 where ${unseen} and not ${isContradicted}`,
  )
  const markAlone = database.prepare<OfFullSync>(
    `update quarantine set absent_full_syncs = -1 where tenant_id = ? and resource = ? and full_sync_id = ? and ${isOlder}`,
  )
  const older = database.prepareValues<OfKey, number>(
    `select absent_full_syncs from quarantine where tenant_id = ? and resource = ? and key = ? and ${isOlder}`,
  )
  const releaseAll = database.prepare<OfFullSync>(`delete from quarantine where ${unseen}`)
  const drop = database.prepare<OfKey>('delete from quarantine where tenant_id = ? and resource = ? and key = ?')
  const allAgree = database.prepare<OfResource>(
    `delete from quarantine where tenant_id = ? and resource = ? and ${isContradicted}`,
  )
  const contradictions = database.prepare<OfResource>(
    `select 1 from quarantine where tenant_id = ? and resource = ? and ${isContradicted} limit 1`,
  )
  const find = database.prepare<OfKey>('select 1 from quarantine where tenant_id = ? and resource = ? and key = ?')
  const anyQuarantined = database.prepare<OfResource>(
    'select 1 from quarantine where tenant_id = ? and resource = ? limit 1',
  )
  return {
    async quarantineRecord(tx, table, item, { tenantId, at, requestId, fullSyncId }) {
      const text = rawText(item.raw)
      const key = item.id === null ? null : table.keyOf(item.id)
      const stored = key === null ? `?${createHash('sha256').update(text).digest('hex').slice(0, 32)}` : String(key)
      await upsert.run(
        tx,
        tenantId,
        table.resource,
        stored,
        text.slice(0, maxRawLength),
        item.problem,
        at,
        at,
        requestId,
        fullSyncId,
      )
      return key
    },
    begin: (tx, tenantId, { resource }) => unmark.run(tx, tenantId, resource),
    async release(tx, tenantId, table, fullSyncId) {
      const { resource } = table
      if (fullSyncId === unbrokenFullSync) await releaseAll.run(tx, tenantId, resource, fullSyncId)
      else await statements(resource).release.run(tx, tenantId, resource, fullSyncId)
      await countAbsence.run(tx, tenantId, resource, fullSyncId)
      await markAlone.run(tx, tenantId, resource, fullSyncId)
    },
    async withoutLive(tx, tenantId, { resource }) {
      const rows = await statements(resource).withoutLive.all(tx, tenantId, resource)
      return rows.map((row) => ({ ...row, rid: quarantineRid(row.key) }))
    },
    drop: (tx, tenantId, { resource }, key) => drop.run(tx, tenantId, resource, key),
    async older(tx, tenantId, { resource }, key) {
      const absences = await older.get(tx, tenantId, resource, key)
      return absences === undefined ? null : absences < 0 ? 'alone' : 'quarantined'
    },
    async releaseOlder(tx, tenantId, { laterWins, resource }, rids) {
      if (laterWins === undefined || (await anyQuarantined.get(tx, tenantId, resource)) === undefined) return
      await statements(resource).releaseOlder.run(tx, tenantId, resource, listOf(rids))
    },
    async knows(tx, tenantId, { resource }, key) {
      return (await find.get(tx, tenantId, resource, key)) !== undefined
    },
    contradict(tx, { resource, idField }, key, fields, { tenantId, at, requestId, fullSyncId }) {
      const raw = JSON.stringify({ [idField ?? 'id']: key, fields })
      const problem = `${fields.join(', ')} ${fields.length === 1 ? 'differs' : 'differ'} between the list and the answer by id`
      return upsert.run(tx, tenantId, resource, contradictedMark + key, raw, problem, at, at, requestId, fullSyncId)
    },
    agree: (tx, tenantId, { resource }, key) => drop.run(tx, tenantId, resource, contradictedMark + key),
    agreeAll: (tx, tenantId, { resource }) => allAgree.run(tx, tenantId, resource),
    async anyContradicted(tx, tenantId, { resource }) {
      return (await contradictions.get(tx, tenantId, resource)) !== undefined
    },
    async containsAny(tx, tenantId, { resource }) {
      return (await anyQuarantined.get(tx, tenantId, resource)) !== undefined
    },
  }
}

/** ECMAScript's `JSON.rawJSON`, missing in the type library: `JSON.stringify` writes its text unchanged. */
const { rawJSON } = JSON as JSON & { rawJSON(text: string): unknown }

/** JSON that parses to the same value: numbers out of a double's range parse as infinite and would become null. */
function rawText(raw: unknown): string {
  const infinite = (value: unknown) => value === Infinity || value === -Infinity
  return (
    JSON.stringify(raw, (_, value) => (infinite(value) ? rawJSON(value > 0 ? '1e400' : '-1e400') : value)) ?? 'null'
  )
}
