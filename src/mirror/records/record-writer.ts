import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import type { Fields } from '../port.ts'
import { isIn, listOf } from '../sql.ts'
import type { Database } from '../sqlite/database.ts'
import { encoderOf, fieldColumns } from './record-codec.ts'
import type { Tally } from './record-counts.ts'
import { columnOf, type RecordTable, type Stored, type StoredFields } from './record-tables.ts'
import { repeatRule } from './repeats.ts'

interface InsertStamp {
  readonly tenantId: number
  readonly at: number
  readonly requestId: string | null
}

/** Fifty rows in one statement take two thirds of the time of fifty statements. */
const rowsAtOnce = 50

function recordInserts(
  { raw }: Database,
  table: string,
  columns: readonly string[],
): (rows: readonly (readonly Stored[])[], stamp: InsertStamp) => number[] {
  const names = [...columns, 'tenant_id', 'read_at', 'request_id', 'first_seen_at', 'first_request_id']
  const row = `(${columns.map(() => '?').join(', ')}, @tenantId, @at, @requestId, @at, @requestId)`
  const into = (rows: number) =>
    raw.prepare(
      // `or fail` needs no statement journal: a failure rolls the transaction back.
      `insert or fail into "${table}" (${names.join(', ')}) values ${Array(rows).fill(row).join(', ')}`,
    )
  const statement = memoize(into)

  return (rows, stamp) => {
    const rids: number[] = []
    for (let from = 0; from < rows.length; ) {
      const together = rows.length - from < rowsAtOnce ? 1 : rowsAtOnce
      const values: Stored[] = []
      for (let i = from; i < from + together; i++) for (const value of rows[i] ?? []) values.push(value)
      const { lastInsertRowid } = statement(together).run(values, stamp)
      const last = Number(lastInsertRowid)
      // New rows have consecutive ids, after all others.
      for (let rid = last - together + 1; rid <= last; rid++) rids.push(rid)
      from += together
    }
    return rids
  }
}

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
  readonly kind: 'created' | 'changed' | 'returned' | 'unchanged' | 'contradictory' | 'older'
  /** By column property, for `changed` and `returned`; otherwise null. */
  readonly before: StoredFields | null
  readonly after: StoredFields | null
  /** Fields that changed, contradict the mirror or make the record older. */
  readonly fields: readonly string[]
}

export interface WriteContext extends InsertStamp {
  readonly tally: Pick<Tally, 'add'>
  readonly repeated?: (rid: number) => boolean
  readonly takesOlder?: (key: string | number) => boolean
}

export interface RecordWrite {
  readonly key: string | number
  readonly record: Fields
  /** Undefined keeps the known value: a look-up may carry other unknown fields than the list. */
  readonly extra: Fields | null | undefined
  readonly known: Known | undefined
}

export interface RecordWriter {
  readonly table: RecordTable
  readonly columns: readonly string[]
  find(tenantId: number, keys: readonly (string | number)[]): Map<string | number, Known>
  /** True when the record is live, present and equal, so that a write would change nothing. */
  holds(write: RecordWrite): boolean
  seen(known: Known): void
  write(write: RecordWrite, context: WriteContext): Written
  /** Fields in which a live record differs from the mirror, apart from the detail of a look-up. */
  differing(write: RecordWrite): readonly string[]
  supply(known: Known, values: StoredFields, context: InsertStamp): Written
  /** Writes records that are not mirrored, no two with the same key; returns their ids in the same order. */
  create(writes: readonly RecordWrite[], context: WriteContext): readonly number[]
}

const nowhere = { before: null, after: null, fields: [] } as const

export const createdAs = (rid: number): Written => ({ rid, kind: 'created', ...nowhere })

export function recordWriter(database: Database, table: RecordTable): RecordWriter {
  const { raw } = database
  const sqlName = (property: string) => columnOf(table, property)
  const name = getTableName(table.table)
  const setOf = (properties: readonly string[]) => properties.map((c) => `${sqlName(c)} = ?`).join(', ')
  const apiColumns = fieldColumns(table)
  const keyIsApiColumn = apiColumns.includes(table.key)
  const values = [...apiColumns, 'extra', ...table.own]
  const written = [...values, 'readAt', 'requestId']
  const inserted = keyIsApiColumn ? values : [...values, table.key]
  const state = ['rid', 'removedAt', 'missingSince', 'absentFullSyncs', 'firstSeenAt', table.key]
  const select = [...values, ...state].map(sqlName).join(', ')
  // One look-up a page takes a third of the time of one a record, a tenth while nothing is known.
  const findRows = raw
    .prepare<[number, string], Stored[]>(
      `select ${select} from "${name}" where "tenant_id" = ? and ${isIn(sqlName(table.key))}`,
    )
    .raw()
  const insert = recordInserts(database, name, inserted.map(sqlName))
  const update = raw.prepare(
    `update "${name}" set ${setOf(written)},
     "removed_at" = null, "missing_since" = null, "absent_full_syncs" = 0 where "rid" = ?`,
  )
  const updating = memoize((set: string) => raw.prepare(`update "${name}" set ${set} where "rid" = ?`))
  const touch = raw.prepare(`update "${name}" set "missing_since" = null, "absent_full_syncs" = 0 where "rid" = ?`)
  const encode = encoderOf(table, inserted.length)
  const repeats = repeatRule(table)
  const idField = table.idField
  const fixed = new Set(idField === null ? [] : [apiColumns.indexOf(idField)])
  const unstated = new Set((table.unstated ?? []).map((field) => apiColumns.indexOf(field)))
  const extraAt = apiColumns.length
  const ownAt = values.length - table.own.length

  const named = (stored: readonly Stored[]): StoredFields =>
    Object.fromEntries(values.map((column, i) => [column, stored[i] ?? null]))

  function rowOf({ record, extra, known }: RecordWrite): Stored[] {
    const row = encode(record)
    row[extraAt] = extra === undefined ? (known?.stored[extraAt] ?? null) : extra && JSON.stringify(extra)
    return row
  }

  /** Indexes of differing values; null, without an allocation, when there are none. */
  function differing(next: readonly Stored[], known: readonly Stored[]): number[] | null {
    let different: number[] | null = null
    for (let i = 0; i < ownAt; i++) {
      if (next[i] === known[i] || fixed.has(i) || (next[i] === null && unstated.has(i))) continue
      different ??= []
      different.push(i)
    }
    return different
  }

  function correct(row: Stored[], corrections: StoredFields): Stored[] {
    for (const [column, value] of Object.entries(corrections)) row[values.indexOf(column)] = value
    return row
  }

  function seen({ rid, absent }: Known): void {
    if (absent) touch.run(rid)
  }

  function newRow(write: RecordWrite, at: number): Stored[] {
    const row = rowOf(write)
    if (table.settleNew !== undefined) correct(row, table.settleNew(named(row), at))
    if (!keyIsApiColumn) row[values.length] = write.key
    return row
  }

  function create(writes: readonly RecordWrite[], context: WriteContext): number[] {
    const { tally, tenantId, at, requestId } = context
    const rows = writes.map((write) => newRow(write, at))
    for (const row of rows) tally.add(row)
    return insert(rows, { tenantId, at, requestId })
  }

  function change(known: Known, next: Stored[], different: readonly number[], context: WriteContext) {
    const before = named(known.stored)
    const stated = known.stored.slice()
    for (const i of different) stated[i] = next[i] ?? null
    const row = stated.slice()
    for (const i of unstated) stated[i] = next[i] ?? null
    correct(row, table.settle?.(named(stated), before, context.at) ?? {})
    update.run(...row, context.at, context.requestId, known.rid)
    const after = named(row)
    const changed = apiFieldsOf(table).filter((field) => field !== idField && before[field] !== after[field])
    return { rid: known.rid, kind: known.removed ? 'returned' : 'changed', before, after, fields: changed } as const
  }

  return {
    table,
    columns: values,
    seen,
    create,
    find(tenantId, keys) {
      const found = new Map<string | number, Known>()
      for (const row of findRows.all(tenantId, listOf(keys))) {
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
    write(write, context) {
      const { known } = write
      if (known === undefined) return createdAs(create([write], context)[0] ?? 0)
      const { rid } = known
      const next = rowOf(write)
      const different = differing(next, known.stored)
      const earlierBy = different === null || known.removed ? null : repeats.earlierBy(known.stored, next)
      if (earlierBy !== null && context.takesOlder?.(write.key) !== true) {
        seen(known)
        return { rid, kind: 'older', ...nowhere, fields: [earlierBy] }
      }
      if (different !== null && context.repeated?.(rid) === true) {
        const repeat = repeats.of(known.stored, next)
        if (repeat === 'first') return { rid, kind: 'unchanged', ...nowhere }
        if (repeat !== 'second') return { rid, kind: 'contradictory', ...nowhere, fields: [repeat.field] }
      }
      if (different !== null || known.removed) return change(known, next, different ?? [], context)
      seen(known)
      return { rid, kind: 'unchanged', ...nowhere }
    },
    differing(write) {
      const indexes = write.known === undefined ? null : differing(rowOf(write), write.known.stored)
      const columns = new Set((indexes ?? []).map((i) => values[i]))
      // A date in another notation is the same date.
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
      // Own columns leave the time and request of the API's values unchanged.
      const set = { ...fields, ...(changed.length > 0 ? { readAt: at, requestId } : {}) }
      updating(setOf(Object.keys(set))).run(...Object.values(set), known.rid)
      return { rid: known.rid, kind: changed.length > 0 ? 'changed' : 'unchanged', before, after, fields: changed }
    },
  }
}

function apiFieldsOf(table: RecordTable): readonly string[] {
  return [...Object.keys(table.fields), 'extra']
}
