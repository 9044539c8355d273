/** A table in Markdown with aligned columns: the first to the left, the others to the right. */
export function table([heading = [], ...lines]: readonly (readonly string[])[]): string {
  const all = [heading, ...lines]
  const widths = heading.map((_, i) => Math.max(3, ...all.map((line) => (line[i] ?? '').length)))
  const cell = (text: string, i: number) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))
  const row = (cells: readonly string[]) => `| ${widths.map((_, i) => cell(cells[i] ?? '', i)).join(' | ')} |`
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [row(heading), row(rule), ...lines.map(row)].join('\n')
}

/** A number with about three significant digits. */
export function short(value: number): string {
  if (Number.isNaN(value)) return '?'
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}

export type Target = { readonly atMost: number } | { readonly atLeast: number }

/** Two cells: the target, and whether the value meets it. */
export function againstTarget(value: number, target?: Target): readonly [string, string] {
  if (target === undefined) return ['', '']
  const [text, met] =
    'atMost' in target
      ? [`≤ ${short(target.atMost)}`, value <= target.atMost]
      : [`≥ ${short(target.atLeast)}`, value >= target.atLeast]
  return [text, met ? 'met' : 'MISSED']
}
