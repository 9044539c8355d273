import { shortGuid } from '../model/guid.ts'
import { severities } from '../model/severity.ts'
import { batches } from '../model/text/formats.ts'
import { printable } from '../model/text/printable.ts'
import { fittingLines, severityInColor, shortened, type Terminal, widthOf } from './terminal.ts'

export interface TableOptions {
  /** Null = whole cells, on one line. */
  readonly terminal?: Terminal | null
  /** Headings of the columns that are left out, in this order, while the last column has too little room. */
  readonly optional?: readonly string[]
  /** Most lines of a cell in the last column on a terminal. */
  readonly lines?: number
}

type Row = readonly string[]

const gap = 2
/** Room of the last column below which optional columns are left out. */
const readable = 50
const leastRoom = 16
/** Rows that decide about the widths; those of later rows may be wider. */
const measured = 1000

const guids = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi
const isGuidIn = (text = '') => text.search(guids) >= 0
const withShortGuids = (row: Row) => row.map((text) => text.replaceAll(guids, shortGuid))

/** Aligned columns under a heading; the last one takes the rest of the terminal's width. Control characters are escaped. */
export function textTable(heading: Row, rows: readonly Row[], options: TableOptions = {}): string {
  const print = layout(heading, rows, options)
  return [heading, ...rows].map(print).join('\n')
}

/** The same, one line or more at a time. Empty without rows. */
export async function* streamedTable(
  heading: Row,
  rows: AsyncIterable<Row> | Iterable<Row>,
  options: TableOptions,
): AsyncIterable<string> {
  let print: ((row: Row) => string) | undefined
  for await (const batch of batches(rows, measured)) {
    if (print === undefined) {
      print = layout(heading, batch, options)
      yield `${print(heading)}\n`
    }
    yield `${batch.map(print).join('\n')}\n`
  }
}

/** How to print a row. Columns without any text are left out; without room, GUIDs of all columns are shortened. */
function layout(heading: Row, rows: readonly Row[], options: TableOptions): (row: Row) => string {
  const { terminal = null, optional = [], lines = 1 } = options
  const cells = [heading, ...rows].map((row) => row.map((cell) => printable(cell)))
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))))
  const isUsed = (column: number) => rows.length >= measured || rows.some((row) => (row[column] ?? '') !== '')
  let columns = heading.flatMap((_, column) => (isUsed(column) || rows.length === 0 ? [column] : []))
  const begin = () => columns.slice(0, -1).reduce((sum, column) => sum + (widths[column] ?? 0) + gap, 0)
  const room = () => (terminal?.columns ?? Number.POSITIVE_INFINITY) - begin()
  const needed = Math.min(readable, widths[columns.at(-1) ?? 0] ?? 0)
  for (const name of optional) {
    // With several tenants, a row without its tenant is not understood.
    if (name === 'TENANT' && new Set(rows.map((row) => row[heading.indexOf(name)])).size > 1) continue
    if (room() >= needed) break
    columns = columns.filter((column) => heading[column] !== name)
  }
  if (room() < needed && cells.some((row) => columns.slice(0, -1).some((column) => isGuidIn(row[column])))) {
    const print = layout(heading, rows.map(withShortGuids), options)
    return (row) => print(withShortGuids(row))
  }
  const severity = heading.indexOf('SEVERITY')
  return (row: Row): string => {
    const texts = columns.map((column) => printable(row[column] ?? ''))
    const fixed = texts.slice(0, -1).map((text, i) => {
      const width = widths[columns[i] ?? 0] ?? 0
      const padded = text + ' '.repeat(Math.max(0, width - widthOf(text)))
      const level = severities.find((one) => one === text.toLowerCase())
      return columns[i] === severity && level !== undefined && terminal?.hasColors === true
        ? severityInColor(padded, level)
        : padded
    })
    const last = texts.at(-1) ?? ''
    const before = fixed.map((text) => text + ' '.repeat(gap)).join('')
    if (terminal === null) return (before + last).trimEnd()
    if (room() < leastRoom) return shortened((before + last).trimEnd(), terminal.columns)
    const text = widthOf(last) > room() ? last.replaceAll(guids, shortGuid) : last
    return (before + fittingLines(text, room(), lines).join(`\n${' '.repeat(begin())}`)).trimEnd()
  }
}
