import { printable } from '../model/text/printable.ts'
import { table } from './formats.ts'
import { type Terminal, widthOf, wrapLastColumn, wrapLine } from './terminal.ts'

export interface Fitting {
  /** Headings of columns to leave out while the table is too wide, in this order. */
  readonly optional?: readonly string[]
  /** Heading of the column that is moved below its row if the last column has too little room. */
  readonly ownLine?: string
}

/** Least width of the last column. */
const leastReadable = 14

/** A table whose lines fit the terminal if possible; without a terminal, all columns. No cell is cut. */
export function fittingTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Terminal | null,
  { optional = [], ownLine }: Fitting,
): string {
  const whole = table(heading, rows)
  if (terminal === null || fits(whole, terminal)) return whole
  const [first, ...others] = optional
  const at = heading.indexOf(first ?? ownLine ?? '')
  const kept = (row: readonly string[]) => row.filter((_, i) => i !== at)
  if (first !== undefined)
    return fittingTable(kept(heading), rows.map(kept), terminal, { optional: others, ...(ownLine && { ownLine }) })
  const wrapped = wrapLastColumn(whole, terminal)
  const before = (row: readonly string[]) => row.slice(0, -1)
  const room = terminal.columns - widest(table(before(heading), rows.map(before))) - 2
  if (ownLine === undefined || (room >= leastReadable && fits(wrapped, terminal))) return wrapped
  const rest = table(kept(heading), rows.map(kept)).split('\n')
  const below = (cell = '') => (cell === '' ? '' : `\n${wrapLine(`    ${printable(cell)}`, terminal)}`)
  return [heading, ...rows].map((row, line) => `${rest[line]}${below(row[at])}`).join('\n')
}

export function fits(text: string, terminal: Terminal): boolean {
  return widest(text) <= terminal.columns
}

function widest(text: string): number {
  return Math.max(...text.split('\n').map(widthOf))
}
