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

export function severityInColor(text: string, severity: Severity): string {
  return styleText([...severityStyles[severity]], text, { validateStream: false })
}

/** Breaks a line between words so that its parts fit; those after the first are indented. */
export function wrapLine(line: string, terminal: Terminal | null, indented = 4): string {
  if (terminal === null || widthOf(line) <= terminal.columns) return line
  const begin = line.length - line.trimStart().length
  const [first = '', ...rest] = wordsIn(line.slice(begin), terminal.columns - begin)
  const indent = ' '.repeat(indented)
  const others = wordsIn(rest.join(' '), terminal.columns - indented).map((part) => indent + part)
  return [line.slice(0, begin) + first, ...others].join('\n')
}

/** Prints a sentence in the width of the terminal. */
export function printWrapped(io: Io, sentence: string): void {
  print(io, wrapLine(sentence, terminalOf(io), 0))
}

/** Breaks a text between words into at most `most` lines; if that is too few, the last one ends in `…`. */
export function fittingLines(text: string, columns: number, most: number): readonly string[] {
  const lines = wordsIn(text, columns).flatMap((line) => pieces(line, columns))
  if (lines.length <= most) return lines
  return [...lines.slice(0, most - 1), shortened(lines.slice(most - 1).join(' '), columns)]
}

/** Shortens a text to `columns`, at the end of a word if possible. */
export function shortened(text: string, columns: number): string {
  const characters = [...text]
  if (characters.length <= columns) return text
  const start = characters.slice(0, columns - 1).join('')
  return `${(characters[columns - 1] === ' ' ? start : start.replace(/ \S*$/, '')).trimEnd()}…`
}

/**
 * Lines of at most `columns`, apart from longer words, such as paths and quoted commands: they can be copied. Columns of a
 * line, which several spaces separate, keep their distance.
 */
function wordsIn(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  const words = text.match(/(?:"(?:chmod|tenantwatch) [^"]*"\S*|\S+)(?: {2,}\S+)*/g) ?? []
  for (const word of words.flatMap((one) => (widthOf(one) > columns ? one.split(' ') : one))) {
    const last = lines.at(-1)
    if (last === undefined || widthOf(last) + 1 + widthOf(word) > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function pieces(word: string, columns: number): readonly string[] {
  const characters = [...word]
  const count = Math.max(1, Math.ceil(characters.length / columns))
  return Array.from({ length: count }, (_, i) => characters.slice(i * columns, (i + 1) * columns).join(''))
}

/** Width without colors; counts code points, which approximates terminal cells. */
export function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length
}
