import { printable } from '../model/text/printable.ts'

/** Markup characters, and those that turn a bare address into a link. */
const markup = /[\\`*_[\]<>|#~&@$!]|:(?=\/\/)|(?<=www)\./gi

/** Escapes a text from the tenant, so that it contains no markup or link and ends no table cell. */
export function md(text: string): string {
  return printable(text).replace(markup, '\\$&')
}

/** A code span that backticks in the text do not end. Not for table cells, which a bar in the text would end. */
export function code(text: string): string {
  const shown = printable(text)
  let fence = '`'
  while (shown.includes(fence)) fence += '`'
  const space = /^$|^[` ]|[` ]$/.test(shown) ? ' ' : ''
  return `${fence}${space}${shown}${space}${fence}`
}

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return `${line(columns)}${line(columns.map(() => '---'))}${rows.map(line).join('')}\n`
}

/** Each item is a line and the lines below it. */
export function list(items: readonly (readonly [string, ...string[]])[]): string {
  return `${items.map(([head, ...rest]) => `- ${head}\n${rest.map((line) => `  - ${line}\n`).join('')}`).join('')}\n`
}
