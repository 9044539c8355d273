import type { Fields, Incoming } from '../port.ts'
import { encoderOf, fieldColumns } from './record-codec.ts'
import type { RecordTable, Stored } from './record-tables.ts'

type Good = Incoming & { readonly ok: true }

/** Which of two records with the same id counts, or the field in which they contradict each other. */
export type Repeat = 'first' | 'second' | { readonly field: string }

const whole = ({ record, extra }: Good): Fields => ({ ...record, ...extra })

/** Resolves records with the same id in one answer or full sync (docs/sync.md#same-id-twice). */
export interface RepeatRule {
  /** Rows begin with the stored values of the API's fields. */
  of(first: readonly Stored[], second: readonly Stored[]): Repeat
  /** Field by which the incoming row is older than the known one; null if it is not. */
  earlierBy(known: readonly Stored[], next: readonly Stored[]): string | null
  /** The item that counts; `field` if the items contradict each other. */
  settle(items: readonly Incoming[]): { readonly item: Incoming; readonly field: string | null }
}

export function repeatRule(table: RecordTable): RepeatRule {
  const columns = fieldColumns(table)
  const unread = new Set([table.idField, ...(table.unread ?? [])])
  // Dates are compared as instants, not as text.
  const read = Object.entries(table.fields)
    .filter(([field]) => !unread.has(field))
    .map(([field, kind]) => [field, columns.indexOf(kind === 'date' ? `${field}Ms` : field)] as const)
  const unstated = new Set(table.unstated)
  const later = table.laterWins === undefined ? null : columns.indexOf(`${table.laterWins}Ms`)
  const encode = encoderOf(table, columns.length)
  const time = (row: readonly Stored[]) => (later === null ? 0 : Number(row[later] ?? Number.NEGATIVE_INFINITY))

  function differing(first: readonly Stored[], second: readonly Stored[]): string | null {
    for (const [field, i] of read) {
      if (first[i] === second[i]) continue
      if (!unstated.has(field) || (first[i] !== null && second[i] !== null)) return field
    }
    return null
  }

  return {
    of(first, second) {
      if (time(first) !== time(second)) return time(second) > time(first) ? 'second' : 'first'
      const field = differing(first, second)
      return field === null ? 'first' : { field }
    },
    earlierBy: (known, next) => (time(next) < time(known) ? (table.laterWins ?? null) : null),
    settle(items) {
      const good = items.filter((item): item is Good => item.ok)
      const bad = items.find((item) => !item.ok)
      if (bad !== undefined) return { item: bad, field: null }
      const rows = good.map((item) => ({ item, row: encode(item.record) }))
      const newest = rows.reduce((latest, { row }) => Math.max(latest, time(row)), Number.NEGATIVE_INFINITY)
      const [first, ...rest] = rows.filter(({ row }) => time(row) === newest)
      if (first === undefined) throw new TypeError('No records to choose from')
      for (const { item, row } of rest) {
        const field = differing(first.row, row)
        if (field === null) continue
        const id = table.idField === null ? null : (item.record[table.idField] as string | number)
        return { item: contradiction(id, field, [whole(first.item), whole(item)]), field }
      }
      return { item: first.item, field: null }
    },
  }
}

export function contradiction(
  id: string | number | null,
  field: string,
  records: readonly Fields[],
): Incoming & { readonly ok: false } {
  return { ok: false, id, raw: records, problem: `contradictory: ${field} differs between records with this id` }
}

/** Prefix by which statements find this problem. */
export const olderVersion = 'older version'

export function outdated(id: string | number, field: string, raw: Fields): Incoming & { readonly ok: false } {
  return { ok: false, id, raw, problem: `${olderVersion}: ${field} lies before that of the known one` }
}
