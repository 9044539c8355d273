import { printable } from '../model/text/printable.ts'
import { table } from './formats.ts'
import { type Terminal, widthOf, wrapLastColumn } from './terminal.ts'

export interface Fitting {
  /** Headings of columns that are left out while the table is too wide, the first one first. */
  readonly optional?: readonly string[]
  /** Heading of the column that gets a line of its own when that is not enough; by default the last one is wrapped. */
  readonly ownLine?: string
}

/** A table whose lines fit the terminal where they can; without a terminal, all of it. No cell is cut. */
export function fittingTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Terminal | null,
  { optional = [], ownLine }: Fitting,
): string {
  const whole = table(heading, rows)
  if (terminal === null || widest(whole) <= terminal.columns) return whole
  const [first = ownLine, ...others] = optional
  if (first === undefined) return wrapLastColumn(whole, terminal)
  const at = heading.indexOf(first)
  const kept = (row: readonly string[]) => row.filter((_, i) => i !== at)
  if (optional.length > 0)
    return fittingTable(kept(heading), rows.map(kept), terminal, { optional: others, ...(ownLine && { ownLine }) })
  const rest = table(kept(heading), rows.map(kept)).split('\n')
  return [heading, ...rows].map((row, line) => `${printable(row[at] ?? '')}\n  ${rest[line]}`).join('\n')
}

function widest(text: string): number {
  return Math.max(...text.split('\n').map(widthOf))
}
