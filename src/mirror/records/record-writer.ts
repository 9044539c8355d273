import { getTableColumns, getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import type { Database } from '../sqlite/database.ts'
import { encoderOf, fieldColumns } from './record-codec.ts'
import type { Tally } from './record-counts.ts'
import { type InsertStamp, recordInserts } from './record-inserts.ts'
import type { RecordTable, Stored, StoredFields } from './record-table.ts'
import { repeatRule } from './repeats.ts'

/** A record as the mirror holds it before an incoming one is compared with it. */
export interface Known {
  readonly rid: number
  readonly removed: boolean
  readonly firstSeenAt: number
  /** True when it was marked missing or absent and being seen must be noted. */
  readonly absent: boolean
  /** Values of the fields, what is extra and the mirror's own columns, in the order they are written. */
  readonly stored: readonly Stored[]
}

/** What writing one record came to. */
export interface Written {
  readonly rid: number
  readonly kind: 'created' | 'changed' | 'returned' | 'unchanged' | 'contradictory' | 'older'
  /** Values before and after by column property, for `changed` and `returned`. */
  readonly before: StoredFields | null
  readonly after: StoredFields | null
  /** That changed, or that contradict the mirror, or by which the record is older. */
  readonly fields: readonly string[]
}

export interface WriteContext extends InsertStamp {
  /** Counts what is created. */
  readonly tally: Pick<Tally, 'add'>
  /** True for a record that the same full sync has shown before. */
  readonly repeated?: (rid: number) => boolean
  /** True for a record that is taken although it is older than the known one. */
  readonly takesOlder?: (key: string | number) => boolean
}

/** An incoming record, its key, and what the mirror holds under it. */
export interface RecordWrite {
  readonly key: string | number
  readonly record: object
  /** Undefined keeps what is known: an answer by id may carry other unknown fields than the list. */
  readonly extra: object | null | undefined
  readonly known: Known | undefined
}

/** Prepared statements over one record table: one look-up a page, and a write only for what differs. */
export interface RecordWriter {
  readonly table: RecordTable
  /** What a tally is given of a record that is created. */
  readonly columns: readonly string[]
  /** The records with these keys that the mirror holds, live or tombstoned. */
  find(tenantId: number, keys: readonly (string | number)[]): Map<string | number, Known>
  /** True when the record is live and present just as it comes: to write it would change nothing. */
  holds(write: RecordWrite): boolean
  /** A live record was shown: it is neither missing nor absent. */
  seen(known: Known): void
  write(write: RecordWrite, context: WriteContext): Written
  /** Fields in which a record that is live differs from the mirror, apart from what only an answer by id states. */
  differing(write: RecordWrite): readonly string[]
  /** Writes these columns alone. */
  supply(known: Known, values: StoredFields, context: InsertStamp): Written
  /** Writes records of which the mirror holds none, no two with the same key; returns their ids in the same order. */
  create(writes: readonly RecordWrite[], context: WriteContext): readonly number[]
}

const nowhere = { before: null, after: null, fields: [] } as const

/** What writing a record came to of which the mirror held none. */
export const createdAs = (rid: number): Written => ({ rid, kind: 'created', ...nowhere })

export function recordWriter(database: Database, table: RecordTable): RecordWriter {
  const { raw } = database
  const columns = getTableColumns(table.table)
  const sqlName = (property: string): string => `"${columns[property]?.name ?? property}"`
  const name = getTableName(table.table)
  const setOf = (properties: readonly string[]) => properties.map((c) => `${sqlName(c)} = ?`).join(', ')
  const apiColumns = fieldColumns(table)
  const keyIsApiColumn = apiColumns.includes(table.key)
  const values = [...apiColumns, 'extra', ...table.own]
  const written = [...values, 'readAt', 'requestId']
  const inserted = keyIsApiColumn ? values : [...values, table.key]
  const state = ['rid', 'removedAt', 'missingSince', 'absentFullSyncs', 'firstSeenAt', table.key]
  const select = [...values, ...state].map(sqlName).join(', ')
  // A look-up a page takes a third of the time of one a record, and a tenth where nothing is known yet.
  const findRows = raw
    .prepare<[number, string], Stored[]>(
      `select ${select} from "${name}" where "tenant_id" = ? and ${sqlName(table.key)} in (select value from json_each(?))`,
    )
    .raw()
  const insert = recordInserts(
    database,
    name,
    inserted.map((column) => columns[column]?.name ?? column),
  )
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
    const row = encode(record as Readonly<Record<string, unknown>>)
    row[extraAt] = extra === undefined ? (known?.stored[extraAt] ?? null) : extra && JSON.stringify(extra)
    return row
  }

  /** Where the incoming values differ; null, without any work for the memory, where they do not. */
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
      for (const row of findRows.all(tenantId, JSON.stringify(keys))) {
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
      // A date that is only written in another way is the same.
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
      // What the mirror notes for itself leaves time and request of the present values alone.
      const set = { ...fields, ...(changed.length > 0 ? { readAt: at, requestId } : {}) }
      updating(setOf(Object.keys(set))).run(...Object.values(set), known.rid)
      return { rid: known.rid, kind: changed.length > 0 ? 'changed' : 'unchanged', before, after, fields: changed }
    },
  }
}

function apiFieldsOf(table: RecordTable): readonly string[] {
  return [...Object.keys(table.fields), 'extra']
}
