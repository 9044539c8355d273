import { printable } from '../model/text/printable.ts'

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

/** Counts code points, an approximation of terminal cells. */
function width(text: string): number {
  return [...text].length
}
