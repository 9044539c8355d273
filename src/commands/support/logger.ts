import pino from 'pino'
import type { Log } from '../../model/log.ts'
import type { Io } from '../../model/process/io.ts'
import { escapeInJson } from '../../model/text/printable.ts'
import { eraseLine, fittingLog, printableLines } from './io.ts'

/** A log whose level can be changed, also for its children. */
export interface LevelledLog extends Log {
  readonly setLevel: (level: string) => void
}

/** JSON lines, or text on a terminal. Control characters in fields are escaped, so that an event stays one line. */
export async function createLog({ stderr }: Io, level: string): Promise<LevelledLog> {
  const write = (text: string) => stderr.write(text)
  if (stderr.isTTY === true) {
    const { default: pretty } = await import('pino-pretty')
    const format = pretty.prettyFactory({ ignore: 'pid,hostname', singleLine: true })
    // Spaces between JSON members, so that lines can be broken there.
    const spaced = (text: string) => (format(harmless(text)) ?? '').replaceAll(',"', ', "')
    const line = (text: string) => write(`${eraseLine}${fittingLog(stderr, spaced(text))}`)
    return levelled(line, level)
  }
  return levelled((line) => write(escapeInJson(line)), level)
}

/** Lines below the level of the destination are dropped there: children of a pino log keep their initial level. */
function levelled(write: (line: string) => void, level: string): LevelledLog {
  const rankOf = (name: string) => pino.levels.values[name] ?? Number.POSITIVE_INFINITY
  let least = rankOf(level)
  const stream = {
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line: string) {
      if (this.lastLevel >= least) write(line)
    },
  }
  const setLevel = (next: string) => {
    least = rankOf(next)
  }
  const log = pino({ level: 'trace', base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream)
  return Object.assign(log, { setLevel })
}

/** The line of a JSON log with the reason why the program ends. */
export function fatalLine(message: string): string {
  return escapeInJson(`{"level":60${pino.stdTimeFunctions.isoTime()},"msg":${JSON.stringify(message)}}\n`)
}

/** An event with control characters escaped in names and texts; a stack keeps its line breaks. */
function harmless(line: string): object {
  return JSON.parse(line, (_, value: unknown) => {
    if (typeof value === 'string') return printableLines(value)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [printableLines(name), inner]))
  })
}
