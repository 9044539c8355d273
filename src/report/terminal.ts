import { stripVTControlCharacters, styleText } from 'node:util'
import { type Io, print } from '../model/process/io.ts'
import type { Severity } from '../model/severity.ts'

/** A terminal on standard output. */
export interface Terminal {
  readonly columns: number
  readonly hasColors: boolean
}

/** Lines for a narrower terminal have this width. */
export const leastColumns = 60

/** Null where standard output is a file or a pipe. `NO_COLOR` is as on https://no-color.org. */
export function terminalOf({ stdout, env }: Pick<Io, 'env' | 'stdout'>): Terminal | null {
  if (stdout.isTTY !== true) return null
  return {
    columns: Math.max(leastColumns, stdout.columns ?? 80),
    hasColors: (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
  }
}

const severityStyles = {
  critical: ['bold', 'red'],
  high: ['red'],
  medium: ['yellow'],
  low: ['cyan'],
  info: ['dim'],
} as const satisfies Record<Severity, readonly string[]>

export function severityInColor(text: string, severity: Severity, { hasColors }: Terminal): string {
  return hasColors ? styleText([...severityStyles[severity]], text, { validateStream: false }) : text
}

/** Shortens a text of printable characters to `columns`, at the end of a word if possible. */
function shortened(text: string, columns: number): string {
  const characters = [...text]
  if (characters.length <= columns) return text
  const end = Math.max(0, columns - 1)
  const start = characters.slice(0, end).join('')
  const isWhole = characters[end] === ' '
  return `${(isWhole ? start : start.replace(/ \S*$/, '')).trimEnd()}…`
}

const leastWrapped = 9

/** Breaks the last column of a table between words, so that its lines fit. */
export function wrapLastColumn(table: string, terminal: Terminal | null): string {
  const [heading = '', ...lines] = table.split('\n')
  const begin = heading.lastIndexOf('  ') + 2
  if (terminal === null || terminal.columns - begin < leastWrapped) return table
  const wrapped = lines.map((line) => {
    const parts = wordsIn(line.slice(begin), terminal.columns - begin, true)
    return line.slice(0, begin) + parts.join(`\n${' '.repeat(begin)}`)
  })
  return [heading, ...wrapped].join('\n')
}

/** Breaks a line between words so that its parts fit; those after the first are indented. */
export function wrapLine(line: string, terminal: Terminal | null, indented = 4): string {
  if (terminal === null || widthOf(line) <= terminal.columns) return line
  const begin = indentOf(line)
  const [first = '', ...rest] = wordsIn(line.slice(begin), terminal.columns - begin).map((part, i) =>
    i === 0 ? line.slice(0, begin) + part : part,
  )
  const indent = ' '.repeat(indented)
  return [first, ...wordsIn(rest.join(' '), terminal.columns - indent.length).map((part) => indent + part)].join('\n')
}

/** The number of spaces at the beginning. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** Prints a sentence in the width of the terminal. */
export function printWrapped(io: Io, sentence: string): void {
  print(io, wrapLine(sentence, terminalOf(io), 0))
}

/** Breaks a text between words into at most `most` lines; if that is too few, the last one ends in `…`. */
export function fittingLines(text: string, columns: number, most: number): readonly string[] {
  const lines = wordsIn(text, columns, true)
  if (lines.length <= most) return lines
  return [...lines.slice(0, most - 1), shortened(lines.slice(most - 1).join(' '), columns)]
}

/** Replaces the spaces of a quoted command, which must stay on one line to be copied. */
const unbrokenSpace = '\ue000'

/**
 * Lines of at most `columns`. Quoted commands and paths are not broken, because a terminal wraps them such that they
 * can be copied. Other long words are broken after punctuation (`isBroken`), or not at all.
 */
export function wordsIn(text: string, columns: number, isBroken = false): readonly string[] {
  const lines: string[] = []
  const whole = text.replaceAll(/"(?:chmod|tenantwatch) [^"]*"/g, (command) => command.replaceAll(' ', unbrokenSpace))
  // A number stays with its word.
  for (const word of whole.split(/(?<!\d) | (?![a-z])/)) {
    const [first = '', ...rest] = isBroken && !isCopied(word) ? partsOf(word, columns) : [word]
    const last = lines.at(-1)
    if (last === undefined || (first !== '' && widthOf(last) + 1 + widthOf(first) > columns)) lines.push(first)
    else lines[lines.length - 1] = `${last} ${first}`
    lines.push(...rest)
  }
  return lines.map((line) => line.trimEnd().replaceAll(unbrokenSpace, ' '))
}

const isCopied = (word: string) => word.includes(unbrokenSpace) || word.includes('/')

/** Width without colors; counts code points, which approximates terminal cells. */
export function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length
}

function partsOf(word: string, columns: number): readonly string[] {
  const parts: string[] = []
  const rest = [...word]
  while (rest.length > columns) {
    const end = rest.slice(0, columns).findLastIndex((character) => /[-./_,:=]/.test(character))
    parts.push(rest.splice(0, end < 1 ? columns : end + 1).join(''))
  }
  return [...parts, rest.join('')]
}
