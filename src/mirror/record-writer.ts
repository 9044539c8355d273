import { getTableColumns, getTableName } from 'drizzle-orm'
import type { Database } from './database.ts'
import { encoderOf, fieldColumns } from './record-codec.ts'
import type { Tally } from './record-counts.ts'
import { type InsertStamp, recordInserts } from './record-inserts.ts'
import type { RecordTable, Stored, StoredFields } from './record-table.ts'

/** A record as the mirror holds it before an incoming one is compared with it. */
export interface Known {
  readonly rid: number
  readonly removed: boolean
  readonly firstSeenAt: number
  /** True when it was marked missing or absent and being seen must be noted. */
  readonly absent: boolean
  /** True when a full sync skipped it although get-user shows it. */
  readonly skipped: boolean
  /** Values of the fields, what is extra and the mirror's own columns, in the order they are written. */
  readonly stored: readonly Stored[]
}

/** What writing one record came to. */
export interface Written {
  readonly rid: number
  readonly kind: 'created' | 'changed' | 'returned' | 'unchanged'
  /** Values before and after by column property, for `changed` and `returned`. */
  readonly before: StoredFields | null
  readonly after: StoredFields | null
  readonly fields: readonly string[]
}

export interface WriteContext extends InsertStamp {
  /** Counts what is created. */
  readonly tally: Pick<Tally, 'add'>
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
  /** A record that was skipped is listed again. */
  listed(known: Known): void
  write(write: RecordWrite, context: WriteContext, own?: StoredFields): Written
  /** Writes records of which the mirror holds none, no two with the same key; returns their ids in the same order. */
  create(writes: readonly RecordWrite[], context: WriteContext, own?: StoredFields): readonly number[]
}

const nothing: StoredFields = {}
const nowhere = { before: null, after: null, fields: [] } as const

/** What writing a record came to of which the mirror held none. */
export const createdAs = (rid: number): Written => ({ rid, kind: 'created', ...nowhere })

export function recordWriter(database: Database, table: RecordTable): RecordWriter {
  const { raw } = database
  const columns = getTableColumns(table.table)
  const sqlName = (property: string): string => `"${columns[property]?.name ?? property}"`
  const name = getTableName(table.table)
  const apiColumns = fieldColumns(table)
  const keyIsApiColumn = apiColumns.includes(table.key)
  const values = [...apiColumns, 'extra', ...table.own]
  const written = [...values, 'readAt', 'requestId']
  const inserted = keyIsApiColumn ? values : [...values, table.key]
  const state = ['rid', 'removedAt', 'missingSince', 'absentWalks', 'firstSeenAt', 'skipped', table.key]
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
    `update "${name}" set ${written.map((c) => `${sqlName(c)} = ?`).join(', ')},
     "removed_at" = null, "missing_since" = null, "absent_walks" = 0 where "rid" = ?`,
  )
  const updateOwn = raw.prepare(
    `update "${name}" set ${table.own.map((c) => `${sqlName(c)} = ?`).join(', ') || '"rid" = "rid"'} where "rid" = ?`,
  )
  const touch = raw.prepare(`update "${name}" set "missing_since" = null, "absent_walks" = 0 where "rid" = ?`)
  const unskip = raw.prepare(`update "${name}" set "skipped" = 0 where "rid" = ?`)
  const encode = encoderOf(table, inserted.length)
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

  function newRow(write: RecordWrite, at: number, own: StoredFields): Stored[] {
    const row = rowOf(write)
    if (table.settleNew !== undefined) correct(row, table.settleNew(named(row), at))
    if (own !== nothing) correct(row, own)
    if (!keyIsApiColumn) row[values.length] = write.key
    return row
  }

  function create(writes: readonly RecordWrite[], context: WriteContext, own = nothing): number[] {
    const { tally, tenantId, at, requestId } = context
    const rows = writes.map((write) => newRow(write, at, own))
    for (const row of rows) tally.add(row)
    return insert(rows, { tenantId, at, requestId })
  }

  function change(
    known: Known,
    next: Stored[],
    different: readonly number[],
    context: WriteContext,
    own: StoredFields,
  ) {
    const before = named(known.stored)
    const stated = known.stored.slice()
    for (const i of different) stated[i] = next[i] ?? null
    const row = stated.slice()
    for (const i of unstated) stated[i] = next[i] ?? null
    correct(row, { ...table.settle?.(named(stated), before, context.at), ...own })
    update.run(...row, context.at, context.requestId, known.rid)
    const after = named(row)
    const changed = apiFieldsOf(table).filter((field) => field !== idField && before[field] !== after[field])
    return { rid: known.rid, kind: known.removed ? 'returned' : 'changed', before, after, fields: changed } as const
  }

  return {
    table,
    columns: values,
    seen,
    listed: ({ rid }) => void unskip.run(rid),
    create,
    find(tenantId, keys) {
      const found = new Map<string | number, Known>()
      for (const row of findRows.all(tenantId, JSON.stringify(keys))) {
        const [rid, removedAt, missingSince, absentWalks, firstSeenAt, skipped, key] = row.splice(values.length)
        const absent = missingSince !== null || Number(absentWalks) > 0
        found.set(key ?? '', {
          rid: Number(rid),
          removed: removedAt !== null,
          firstSeenAt: Number(firstSeenAt),
          absent,
          skipped: skipped === 1,
          stored: row,
        })
      }
      return found
    },
    holds(write) {
      const { known } = write
      return known !== undefined && !known.removed && !known.absent && differing(rowOf(write), known.stored) === null
    },
    write(write, context, own = nothing) {
      const { known } = write
      if (known === undefined) return createdAs(create([write], context, own)[0] ?? 0)
      const next = rowOf(write)
      const different = differing(next, known.stored)
      if (different !== null || known.removed) return change(known, next, different ?? [], context, own)
      // What the mirror notes for itself leaves time and request of the present values alone.
      const ownChanged = Object.entries(own).some(([column, value]) => known.stored[values.indexOf(column)] !== value)
      if (ownChanged) updateOwn.run(...correct(known.stored.slice(), own).slice(ownAt), known.rid)
      seen(known)
      return { rid: known.rid, kind: 'unchanged', ...nowhere }
    },
  }
}

function apiFieldsOf(table: RecordTable): readonly string[] {
  return [...Object.keys(table.fields), 'extra']
}
