import { table } from './formats.ts'
import { shortened, type Terminal, wrapLastColumn } from './terminal.ts'

/** Of the ids and names that are shortened, so that they can still be told apart. */
const leastWidth = 9

export interface Fitting {
  /** Headings of columns that are left out while the table is too wide, the first one first. */
  readonly optional?: readonly string[]
  /** Heading of the column whose cells are shortened when that is not enough. */
  readonly shorten?: string
}

/** A table whose lines fit the terminal where they can; without a terminal, all of it. */
export function fittingTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Terminal | null,
  { optional = [], shorten }: Fitting,
): string {
  const whole = table(heading, rows)
  if (terminal === null) return whole
  const over = widthOf(whole) - terminal.columns
  if (over <= 0) return whole
  const [first, ...others] = optional
  if (first !== undefined) {
    const at = heading.indexOf(first)
    const kept = (row: readonly string[]) => row.filter((_, i) => i !== at)
    return fittingTable(kept(heading), rows.map(kept), terminal, { optional: others, ...(shorten && { shorten }) })
  }
  if (shorten === undefined) return wrapLastColumn(whole, terminal)
  const column = heading.indexOf(shorten)
  const widest = Math.max(...rows.map((row) => [...(row[column] ?? '')].length))
  const most = Math.max(leastWidth, widest - over)
  return table(
    heading,
    rows.map((row) => row.map((cell, i) => (i === column ? shortened(cell, most) : cell))),
  )
}

function widthOf(text: string): number {
  return Math.max(...text.split('\n').map((line) => [...line].length))
}
