import { csvLine } from '../model/text/csv.ts'
import { printable } from '../model/text/printable.ts'
import { jsonArray, printableJson } from '../model/text/printable-json.ts'

/** Aligned columns under a heading. Control characters in cells are escaped. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [heading, ...rows].map((row) => row.map((cell) => printable(cell)))
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => width(row[column] ?? ''))))
  return cells
    .map((row) =>
      row
        .map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - width(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** `2026-03-31 18:00` of an ISO 8601 time. */
export function toMinute(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ')
}

/** Counts code points, an approximation of terminal cells. */
function width(text: string): number {
  return [...text].length
}

type Rows<T> = AsyncIterable<T> | Iterable<T>

export interface Serialization<T> {
  readonly columns: readonly string[]
  readonly cells: (row: T) => readonly unknown[]
  /** The JSON object of a row; default: the row. */
  readonly object?: (row: T) => object
}

/** Streams rows as a JSON array, as one JSON object per line, or as CSV with a heading. */
export async function* serialize<T extends object>(
  format: 'json' | 'ndjson' | 'csv',
  rows: Rows<T>,
  { columns, cells, object = (row) => row }: Serialization<T>,
): AsyncIterable<string> {
  if (format === 'json') {
    yield* jsonArray(batches(mapped(rows, object)))
    return
  }
  if (format === 'csv') yield csvLine(columns)
  for await (const row of rows) yield format === 'csv' ? csvLine(cells(row)) : `${printableJson(object(row))}\n`
}

async function* mapped<T>(rows: Rows<T>, of: (row: T) => object): AsyncIterable<object> {
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
