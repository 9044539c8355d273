import { printable } from '../model/text/printable.ts'

/** Lines of aligned columns under a heading; every cell is made harmless for a terminal. Empty without rows. */
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

/** Code points, which is near enough to terminal cells for what is shown here. */
function width(text: string): number {
  return [...text].length
}
