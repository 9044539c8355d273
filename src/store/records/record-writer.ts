import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import type { Database } from '../database.ts'
import type { InsertStamp, Sql, TenantKeys } from '../db/db.ts'
import type { Fields } from '../port.ts'
import { encoderOf, fieldColumns } from './record-codec.ts'
import type { Tally } from './record-counts.ts'
import { columnOf, type RecordTable, type Stored, type StoredFields } from './record-tables.ts'
import { type Repeat, repeatRule } from './repeats.ts'

export interface Known {
  readonly rid: number
  readonly removed: boolean
  readonly firstSeenAt: number
  readonly absent: boolean
  /** API fields, `extra` and own columns, in the order they are written. */
  readonly stored: readonly Stored[]
}

export interface Written {
  readonly rid: number
  readonly kind: 'changed' | 'returned' | 'unchanged'
  /** Stored values before the change, by column. */
  readonly before: StoredFields
  readonly after: StoredFields
  /** Fields that changed. */
  readonly fields: readonly string[]
}

export interface RecordWrite {
  readonly key: string | number
  readonly record: Fields
  /** Undefined keeps the stored value, because a look-up may contain other unknown fields than the list. */
  readonly extra: Fields | null | undefined
  readonly known: Known | undefined
}

export interface Difference {
  readonly next: Stored[]
  /** Indexes of values that differ; empty for a tombstone with equal values. */
  readonly indexes: readonly number[]
  /** Field by which the record is older than the known one; null if it is not. */
  readonly earlierBy: string | null
}

/** The changes, and the statement that writes them. */
export interface Writing {
  readonly written: Written
  readonly write: (tx: Sql) => Promise<void>
}

/** Functions without `tx` only decide. */
export interface RecordWriter {
  readonly table: RecordTable
  readonly columns: readonly string[]
  find(tx: Sql, tenantId: number, keys: readonly (string | number)[]): Promise<Map<string | number, Known>>
  /** True when the record is live, present and equal, so that a write would change nothing. */
  holds(write: RecordWrite): boolean
  /** Notes that an absent record was returned. */
  touch(tx: Sql, known: Known): Promise<void>
  /** Null when the known record is live and equal. */
  compare(write: RecordWrite, known: Known): Difference | null
  /** Decides which record counts if both are of one full sync. */
  repeat(known: Known, difference: Difference): Repeat
  change(known: Known, difference: Difference, stamp: InsertStamp): Writing
  /** Fields in which a live record differs from the mirror, apart from the detail of a look-up. */
  differing(write: RecordWrite): readonly string[]
  supply(known: Known, values: StoredFields, stamp: InsertStamp): Writing
  /** Writes records that are not mirrored, no two with the same key; returns their ids in the same order. */
  create(
    tx: Sql,
    writes: readonly RecordWrite[],
    stamp: InsertStamp,
    tally: Pick<Tally, 'add'>,
  ): Promise<readonly number[]>
}

export function recordWriter(database: Database, table: RecordTable): RecordWriter {
  const { selectByKeys, listOf } = database.sql
  const sqlName = (property: string) => columnOf(table, property)
  const name = getTableName(table.table)
  const setOf = (properties: readonly string[]) => properties.map((c) => `${sqlName(c)} = ?`).join(', ')
  const apiColumns = fieldColumns(table)
  const keyIsApiColumn = apiColumns.includes(table.key)
  const values = [...apiColumns, 'extra', ...table.own]
  const written = [...values, 'readAt', 'requestId']
  const inserted = keyIsApiColumn ? values : [...values, table.key]
  const state = ['rid', 'removedAt', 'missingSince', 'absentFullSyncs', 'firstSeenAt', table.key]
  const columns = [...values, ...state].map(sqlName)
  // One look-up per page takes a third of the time of one per record, a tenth while nothing is mirrored.
  const findRows = database.prepareRows<[TenantKeys], Stored[]>(
    selectByKeys({ columns, table: name, key: sqlName(table.key) }),
  )
  const { insert } = database.sql.recordInserts(name, inserted.map(sqlName))
  const update = database.prepare<readonly Stored[]>(
    `update "${name}" set ${setOf(written)},
     "removed_at" = null, "missing_since" = null, "absent_full_syncs" = 0 where "rid" = ?`,
  )
  const updating = memoize((set: string) =>
    database.prepare<readonly Stored[]>(`update "${name}" set ${set} where "rid" = ?`),
  )
  const touch = database.prepare<[number]>(
    `update "${name}" set "missing_since" = null, "absent_full_syncs" = 0 where "rid" = ?`,
  )
  const encode = encoderOf(table, inserted.length)
  const repeats = repeatRule(table)
  const idField = table.idField
  const unstated = (table.unstated ?? []).map((field) => apiColumns.indexOf(field))
  const uncompared = new Set([...unstated, ...(idField === null ? [] : [apiColumns.indexOf(idField)])])
  const extraAt = apiColumns.length
  const ownAt = values.length - table.own.length

  const named = (stored: readonly Stored[]): StoredFields =>
    Object.fromEntries(values.map((column, i) => [column, stored[i] ?? null]))

  function rowOf({ record, extra, known }: RecordWrite): Stored[] {
    const row = encode(record)
    // Only a look-up by id may set these fields; values in a list deviate from the specification.
    for (const i of unstated) row[i] = null
    row[extraAt] = extra === undefined ? (known?.stored[extraAt] ?? null) : extra && JSON.stringify(extra)
    return row
  }

  /** Indexes of differing values; null, without an allocation, when there are none. */
  function differing(next: readonly Stored[], known: readonly Stored[]): number[] | null {
    let different: number[] | null = null
    for (let i = 0; i < ownAt; i++) {
      if (next[i] === known[i] || uncompared.has(i)) continue
      different ??= []
      different.push(i)
    }
    return different
  }

  function correct(row: Stored[], corrections: StoredFields): Stored[] {
    for (const [column, value] of Object.entries(corrections)) row[values.indexOf(column)] = value
    return row
  }

  function newRow(write: RecordWrite, at: number): Stored[] {
    const row = rowOf(write)
    if (table.settleNew !== undefined) correct(row, table.settleNew(named(row), at))
    if (!keyIsApiColumn) row[values.length] = write.key
    return row
  }

  return {
    table,
    columns: values,
    create(tx, writes, stamp, tally) {
      const rows = writes.map((write) => newRow(write, stamp.at))
      for (const row of rows) tally.add(row)
      return insert(tx, rows, stamp)
    },
    async find(tx, tenantId, keys) {
      const found = new Map<string | number, Known>()
      for (const row of await findRows.all(tx, { tenantId, keys: listOf(keys) })) {
        const [rid, removedAt, missingSince, absentFullSyncs, firstSeenAt, key] = row.splice(values.length)
        const absent = missingSince !== null || Number(absentFullSyncs) > 0
        found.set(key ?? '', {
          rid: Number(rid),
          removed: removedAt !== null,
          firstSeenAt: Number(firstSeenAt),
          absent,
          stored: row,
        })
      }
      return found
    },
    holds(write) {
      const { known } = write
      return known !== undefined && !known.removed && !known.absent && differing(rowOf(write), known.stored) === null
    },
    touch: (tx, { rid }) => touch.run(tx, rid),
    compare(write, known) {
      const next = rowOf(write)
      const indexes = differing(next, known.stored)
      if (indexes === null) return known.removed ? { next, indexes: [], earlierBy: null } : null
      return { next, indexes, earlierBy: known.removed ? null : repeats.earlierBy(known.stored, next) }
    },
    repeat: (known, { next }) => repeats.of(known.stored, next),
    change(known, { next, indexes }, { at, requestId }) {
      const before = named(known.stored)
      const stated = known.stored.slice()
      for (const i of indexes) stated[i] = next[i] ?? null
      const row = stated.slice()
      for (const i of unstated) stated[i] = null
      correct(row, table.settle?.(named(stated), before, at) ?? {})
      const after = named(row)
      const fields = apiFieldsOf(table).filter((field) => field !== idField && before[field] !== after[field])
      return {
        written: { rid: known.rid, kind: known.removed ? 'returned' : 'changed', before, after, fields },
        write: (tx) => update.run(tx, ...row, at, requestId, known.rid),
      }
    },
    differing(write) {
      const indexes = write.known === undefined ? null : differing(rowOf(write), write.known.stored)
      const columns = new Set((indexes ?? []).map((i) => values[i]))
      // Compares dates as instants, not by notation.
      return Object.entries(table.fields)
        .filter(
          ([field, kind]) => field !== table.detail?.states && columns.has(kind === 'date' ? `${field}Ms` : field),
        )
        .map(([field]) => field)
    },
    supply(known, fields, { at, requestId }) {
      const before = named(known.stored)
      const after = { ...before, ...fields }
      const changed = apiFieldsOf(table).filter((field) => before[field] !== after[field])
      // A change of own columns only does not change the read time and request of the API's values.
      const set = { ...fields, ...(changed.length > 0 ? { readAt: at, requestId } : {}) }
      return {
        written: { rid: known.rid, kind: changed.length > 0 ? 'changed' : 'unchanged', before, after, fields: changed },
        write: (tx) => updating(setOf(Object.keys(set))).run(tx, ...Object.values(set), known.rid),
      }
    },
  }
}

function apiFieldsOf(table: RecordTable): readonly string[] {
  return [...Object.keys(table.fields), 'extra']
}
