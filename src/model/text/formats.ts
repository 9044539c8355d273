import { stringify } from 'csv-stringify/sync'
import { printableJson } from './printable.ts'

/** `2026-03-31 18:00` of an ISO 8601 time. */
export function toMinute(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ')
}

export type Rows<T> = AsyncIterable<T> | Iterable<T>

/** The values of a row by the name of their column. */
export type Columns<T> = Readonly<Record<string, (row: T) => unknown>>

/** Columns with the names of the members that they show. */
export function membersOf<Name extends string>(...names: readonly Name[]): Columns<Readonly<Record<Name, unknown>>> {
  return Object.fromEntries(names.map((name) => [name, (row) => row[name]]))
}

/** Streams rows as a JSON array, as one JSON object per line, or as CSV with a heading; several rows at a time. */
export async function* serialize<T extends object>(
  format: 'json' | 'ndjson' | 'csv',
  rows: Rows<T>,
  columns: Columns<T>,
  object: (row: T) => object = (row) => objectOf(row, columns),
): AsyncGenerator<string> {
  const values = Object.values(columns)
  const json = (row: T) => printableJson(object(row))
  if (format === 'csv') yield csvLine(Object.keys(columns))
  let separator = '[\n'
  for await (const batch of batches(rows)) {
    if (format === 'csv') yield batch.map((row) => csvLine(values.map((value) => value(row)))).join('')
    else if (format === 'ndjson') yield batch.map((row) => `${json(row)}\n`).join('')
    else yield separator + batch.map(json).join(',\n')
    separator = ',\n'
  }
  if (format === 'json') yield separator === '[\n' ? '[]\n' : '\n]\n'
}

export function objectOf<T>(row: T, columns: Columns<T>): object {
  return Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, value(row)]))
}

export async function* mapped<T, Result>(rows: Rows<T>, of: (row: T) => Result): AsyncIterable<Result> {
  for await (const row of rows) yield of(row)
}

/** Groups items into arrays of `size`. */
export async function* batches<T>(items: Rows<T>, size = 200): AsyncIterable<readonly T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Characters that spreadsheets skip before the first sign of a formula: white space, controls, marks without width. */
const hiddenFormula = /^[\s\p{Cc}\p{Cf}\p{Z}]+[=+\-@\uff1d\uff0b\uff0d\uff20]/u

/** One line of CSV (RFC 4180, every text quoted). A cell that would start a formula is escaped. */
export function csvLine(values: readonly unknown[]): string {
  const cells = values.map((value) => {
    if (value === null || value === undefined) return ''
    if (typeof value === 'string' && hiddenFormula.test(value)) return `'${value}`
    return typeof value === 'object' ? printableJson(value) : value
  })
  return stringify([cells], {
    quoted_string: true,
    escape_formulas: true,
    record_delimiter: '\r\n',
    cast: { boolean: String },
  })
}
