import type { Benchmark, Result, Row } from './result.ts'
import type { CheckResult } from './targets.ts'

/** A table in Markdown whose columns stand under each other: the first to the left, the others to the right. */
export function table([heading = [], ...lines]: readonly (readonly string[])[]): string {
  const all = [heading, ...lines]
  const widths = heading.map((_, i) => Math.max(3, ...all.map((line) => (line[i] ?? '').length)))
  const cell = (text: string, i: number) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))
  const row = (cells: readonly string[]) => `| ${widths.map((_, i) => cell(cells[i] ?? '', i)).join(' | ')} |`
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [row(heading), row(rule), ...lines.map(row)].join('\n')
}

/** A number with about three digits that say something. */
export function short(value: number): string {
  if (Number.isNaN(value)) return '?'
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en')
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 0.1 ? 2 : 4)
}

export function showResult({ name, about }: Benchmark, result: Result): string {
  const { rows, against, facts } = result
  const floor = rows.find((row) => row.name === against)
  const heading = ['', 'wall ms', 'CPU ms', 'peak MiB', 'records/s', '× wall', '× CPU']
  const lines = rows.map((row) => [row.name, ...figures(row), ...times(row, floor)])
  const said = (result.table ?? []).map(([first]) => `${first}: `)
  const numbers = Object.entries(facts)
    .filter(([fact]) => !said.some((line) => fact.startsWith(line)))
    .map(([fact, value]) => `- ${fact}: ${short(value)}`)
  return [
    `## ${name}: ${about}`,
    '',
    table([heading, ...lines]),
    ...(result.table === undefined ? [] : ['', table(result.table)]),
    ...(numbers.length === 0 ? [] : ['', ...numbers]),
    '',
  ].join('\n')
}

function figures({ wallMs, cpuMs, peakMiB, records }: Row): string[] {
  const rate = records === undefined ? '' : short(Math.round((records * 1000) / wallMs))
  return [short(wallMs), short(cpuMs), short(Math.round(peakMiB)), rate]
}

function times(row: Row, floor: Row | undefined): string[] {
  if (floor === undefined) return ['', '']
  return [short(row.wallMs / floor.wallMs), short(row.cpuMs / floor.cpuMs)]
}

export function showTargets(checkResults: readonly CheckResult[], records: number): string {
  const lines = checkResults.map(({ says, value, cpu, most, mark }) => [
    says,
    short(value),
    cpu === null ? '' : short(cpu),
    short(most),
    mark,
  ])
  return [
    `## Targets, here with ${short(records)} records`,
    '',
    table([['', 'value', 'by CPU', 'at most', ''], ...lines]),
    '',
  ].join('\n')
}
