import { getTableColumns, getTableName } from 'drizzle-orm'
import type { Database } from './database.ts'
import { encoderOf, fieldColumns } from './record-codec.ts'
import type { RecordTable, Stored, StoredFields } from './record-table.ts'

/** A record as the mirror holds it before an incoming one is compared with it. */
export interface Known {
  readonly rid: number
  readonly removed: boolean
  /** True when it was marked missing or absent and being seen must be noted. */
  readonly absent: boolean
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

export interface WriteContext {
  readonly tenantId: number
  readonly at: number
  readonly requestId: string | null
}

/** Prepared statements over one record table: one look-up a record, and a write only for what differs. */
export interface RecordWriter {
  readonly table: RecordTable
  find(tenantId: number, key: string | number): Known | undefined
  /** A live record was shown: it is neither missing nor absent. */
  seen(known: Known): void
  /** `extra` undefined keeps what is known: an answer by id may carry other unknown fields than the list. */
  write(record: object, extra: object | null | undefined, context: WriteContext, own?: StoredFields): Written
}

type Row = [rid: number, removedAt: number | null, missingSince: number | null, absentWalks: number, ...Stored[]]

export function recordWriter({ raw }: Database, table: RecordTable): RecordWriter {
  const columns = getTableColumns(table.table)
  const sqlName = (property: string): string => `"${columns[property]?.name ?? property}"`
  const name = getTableName(table.table)
  const apiColumns = fieldColumns(table)
  const keyIsApiColumn = apiColumns.includes(table.key)
  const values = [...apiColumns, 'extra', ...table.own]
  const written = [...values, 'readAt', 'requestId']
  const inserted = [...(keyIsApiColumn ? [] : [table.key]), ...written, 'tenantId', 'firstSeenAt', 'firstRequestId']
  const select = ['rid', 'removedAt', 'missingSince', 'absentWalks', ...values].map(sqlName).join(', ')
  const findRow = raw
    .prepare<[number, string | number], Row>(
      `select ${select} from "${name}" where "tenant_id" = ? and ${sqlName(table.key)} = ?`,
    )
    .raw()
  const insert = raw.prepare(
    `insert into "${name}" (${inserted.map(sqlName).join(', ')}) values (${inserted.map(() => '?').join(', ')})`,
  )
  const update = raw.prepare(
    `update "${name}" set ${written.map((c) => `${sqlName(c)} = ?`).join(', ')},
     "removed_at" = null, "missing_since" = null, "absent_walks" = 0 where "rid" = ?`,
  )
  const updateOwn = raw.prepare(
    `update "${name}" set ${table.own.map((c) => `${sqlName(c)} = ?`).join(', ') || '"rid" = "rid"'} where "rid" = ?`,
  )
  const touch = raw.prepare(`update "${name}" set "missing_since" = null, "absent_walks" = 0 where "rid" = ?`)
  const encode = encoderOf(table)
  const idField = table.idField
  const fixed = new Set(idField === null ? [] : [apiColumns.indexOf(idField)])
  const unstated = new Set((table.unstated ?? []).map((field) => apiColumns.indexOf(field)))
  const ownAt = values.length - table.own.length

  const named = (stored: readonly Stored[]): StoredFields =>
    Object.fromEntries(values.map((column, i) => [column, stored[i] ?? null]))

  function differing(next: readonly Stored[], known: readonly Stored[]): number[] {
    const different: number[] = []
    for (let i = 0; i < ownAt; i++) {
      if (next[i] !== known[i] && !fixed.has(i) && !(next[i] === null && unstated.has(i))) different.push(i)
    }
    return different
  }

  function correct(row: Stored[], corrections: StoredFields): Stored[] {
    for (const [column, value] of Object.entries(corrections)) row[values.indexOf(column)] = value
    return row
  }

  function find(tenantId: number, key: string | number): Known | undefined {
    const row = findRow.get(tenantId, key)
    if (row === undefined) return undefined
    const [rid, removedAt, missingSince, absentWalks, ...stored] = row
    return { rid, removed: removedAt !== null, absent: missingSince !== null || absentWalks > 0, stored }
  }

  function seen({ rid, absent }: Known): void {
    if (absent) touch.run(rid)
  }

  return {
    table,
    find,
    seen,
    write(record, extra, context, own = {}) {
      const fields = record as Readonly<Record<string, unknown>>
      const key = table.keyOf(idField === null ? null : fields[idField])
      const known = find(context.tenantId, key)
      const next = encode(fields)
      next.push(extra === undefined ? (known?.stored[apiColumns.length] ?? null) : extra && JSON.stringify(extra))
      const stamp = [context.at, context.requestId] as const
      if (known === undefined) {
        for (const _ of table.own) next.push(null)
        const row = correct(next, { ...table.settle?.(named(next), null, context.at), ...own })
        const first = keyIsApiColumn ? [] : [key]
        const { lastInsertRowid } = insert.run(...first, ...row, ...stamp, context.tenantId, ...stamp)
        return { rid: Number(lastInsertRowid), kind: 'created', before: null, after: null, fields: [] }
      }
      const different = differing(next, known.stored)
      if (different.length === 0 && !known.removed) {
        // What the mirror notes for itself leaves time and request of the present values alone.
        const ownChanged = Object.entries(own).some(([column, value]) => known.stored[values.indexOf(column)] !== value)
        if (ownChanged) updateOwn.run(...correct(known.stored.slice(), own).slice(ownAt), known.rid)
        seen(known)
        return { rid: known.rid, kind: 'unchanged', before: null, after: null, fields: [] }
      }
      const before = named(known.stored)
      const stated = known.stored.slice()
      for (const i of different) stated[i] = next[i] ?? null
      const row = stated.slice()
      for (const i of unstated) stated[i] = next[i] ?? null
      correct(row, { ...table.settle?.(named(stated), before, context.at), ...own })
      update.run(...row, ...stamp, known.rid)
      const after = named(row)
      const changed = apiFieldsOf(table).filter((field) => field !== idField && before[field] !== after[field])
      return { rid: known.rid, kind: known.removed ? 'returned' : 'changed', before, after, fields: changed }
    },
  }
}

function apiFieldsOf(table: RecordTable): readonly string[] {
  return [...Object.keys(table.fields), 'extra']
}
