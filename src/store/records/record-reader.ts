import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database } from '../database.ts'
import type { List, TenantKeys } from '../db/db.ts'
import type { ChangeRow, MirrorRecord, RecordReader } from './query.ts'
import { decode, fieldColumns } from './record-codec.ts'
import { columnOf, leastKey, type RecordTable, recordTables, type Stored } from './record-tables.ts'

const batchSize = 200

type Row = readonly Stored[]

interface TableReader {
  readonly keyOf: RecordTable['keyOf']
  /** A batch in key order, after a key. */
  next(tenantId: number, after: Stored): Promise<readonly Row[]>
  byKeys(tenantId: number, keys: readonly Stored[]): Promise<readonly Row[]>
  readonly leastKey: Stored
  keyIn(row: Row): Stored
  toRecord(row: Row): MirrorRecord
}

export function recordReaders(database: Database): (tenantId: number) => RecordReader {
  const tables = memoize((resource: ResourceName) => tableReader(database, recordTables[resource]))
  const { isIn, listOf } = database.sql
  const history = database.prepare<[number, string, List], StoredChange>(
    `select id, resource, key, at, kind, field, before, after, request_id as "requestId" from changes
     where tenant_id = ? and resource = ? and ${isIn('key')} order by +id`,
  )
  return (tenantId) => ({
    async *select(resource) {
      const table = tables(resource)
      for (let after = table.leastKey; ; ) {
        const rows = await table.next(tenantId, after)
        const last = rows.at(-1)
        if (last === undefined) return
        yield rows.map(table.toRecord)
        if (rows.length < batchSize) return
        after = table.keyIn(last)
        await yieldToEventLoop()
      }
    },
    async byKeys(resource, keys) {
      const table = tables(resource)
      return (await table.byKeys(tenantId, keys.map(table.keyOf))).map(table.toRecord)
    },
    history: (resource, ...keys) =>
      database.read(async (tx) => (await history.all(tx, tenantId, resource, listOf(keys))).map(parseChange)),
  })
}

const isAbsent = 'case when missing_since is not null or absent_full_syncs > 0 then 1 else 0 end as absent'

function tableReader(database: Database, table: RecordTable): TableReader {
  const properties = [...new Set([...fieldColumns(table), ...table.own, table.key, ...common])]
  const columns = [...properties.map((property) => columnOf(table, property)), isAbsent, 'removed_at']
  const key = columnOf(table, table.key)
  const name = getTableName(table.table)
  const next = database.prepareRows<[number, Stored], Row>(
    `select ${columns.join(', ')} from "${name}"
     where tenant_id = ? and removed_at is null and ${key} > ? order by ${key} limit ${batchSize}`,
  )
  const byKeys = database.prepareRows<[TenantKeys], Row>(database.sql.selectByKeys({ columns, table: name, key }))
  const at = (property: string) => properties.indexOf(property)
  const keyAt = at(table.key)
  return {
    keyOf: table.keyOf,
    next: (tenantId, after) => database.read((tx) => next.all(tx, tenantId, after)),
    byKeys: (tenantId, keys) =>
      database.read(async (tx) => {
        const rows = await byKeys.all(tx, { tenantId, keys: database.sql.listOf(keys) })
        return rows.filter((row) => row.at(-1) === null)
      }),
    leastKey: leastKey(table),
    keyIn: (row) => row[keyAt] ?? null,
    toRecord: recordDecoder(table, at, columns.indexOf(isAbsent)),
  }
}

const common = ['extra', 'firstSeenAt', 'readAt', 'requestId'] as const

/** @param at index of a property in a row. */
function recordDecoder(table: RecordTable, at: (property: string) => number, absentAt: number) {
  const fieldsAt = Object.entries(table.fields).map(([field, kind]) => ({ field, kind, at: at(field) }))
  const dates = fieldsAt.filter(({ kind }) => kind === 'date').map(({ field }) => `${field}Ms`)
  const timesAt = [...dates, ...table.own].map((time) => ({ time, at: at(time) }))
  const [keyAt, extraAt] = [at(table.key), at('extra')]
  const [firstSeenAt, readAt, requestIdAt] = [at('firstSeenAt'), at('readAt'), at('requestId')]
  return (row: Row): MirrorRecord => {
    const fields: Record<string, unknown> = {}
    for (const { field, kind, at } of fieldsAt) fields[field] = decode(kind, row[at] ?? null)
    const times: Record<string, number | null> = {}
    for (const { time, at } of timesAt) times[time] = row[at] as number | null
    const extra = row[extraAt]
    return {
      key: String(row[keyAt]),
      fields,
      extra: typeof extra === 'string' ? (JSON.parse(extra) as Record<string, unknown>) : null,
      times,
      firstSeenAt: Number(row[firstSeenAt]),
      readAt: Number(row[readAt]),
      requestId: row[requestIdAt] as string | null,
      absent: row[absentAt] === 1,
    }
  }
}

export type StoredChange<Row extends ChangeRow = ChangeRow> = Omit<Row, 'before' | 'after'> & {
  readonly before: string | null
  readonly after: string | null
}

export function parseChange<Change extends StoredChange>(change: Change) {
  const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text))
  return { ...change, before: parse(change.before), after: parse(change.after) }
}
