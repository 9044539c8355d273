import pino from 'pino'
import type { Log } from '../../model/log.ts'
import type { Io, Output } from '../../model/process/io.ts'
import { escapeInJson } from '../../model/text/printable.ts'
import { eraseLine, fittingLog, printableLines } from './io.ts'

/** A log whose level can be changed, also for its children. */
export interface LevelledLog extends Log {
  readonly setLevel: (level: string) => void
}

/** Bytes that may wait for a slow reader of the log; further lines are dropped and counted. */
const waitingLimit = 1024 * 1024

/** JSON lines, or text on a terminal. Control characters in fields are escaped, so that an event stays one line. */
export async function createLog({ stderr }: Io, level: string): Promise<LevelledLog> {
  const write = bounded(stderr)
  const options = { level: 'trace', base: null, timestamp: pino.stdTimeFunctions.isoTime } as const
  if (stderr.isTTY === true) {
    const { default: pretty } = await import('pino-pretty')
    const format = pretty.prettyFactory({ ignore: 'pid,hostname', singleLine: true })
    // Spaces between JSON members, so that lines can be broken there.
    const spaced = (text: string) => (format(harmless(text)) ?? '').replaceAll(',"', ', "')
    const line = (text: string) => write(`${eraseLine}${fittingLog(stderr, spaced(text))}`)
    return levelled(pino(options, { write: line }), level)
  }
  return levelled(pino(options, { write: (line: string) => write(escapeInJson(line)) }), level)
}

/** The line of a JSON log with the reason why the program ends. */
export function fatalLine(message: string): string {
  return escapeInJson(`{"level":60${pino.stdTimeFunctions.isoTime()},"msg":${JSON.stringify(message)}}\n`)
}

/** Children of a pino log keep their initial level; here they follow their parent. */
function levelled(whole: Log, level: string): LevelledLog {
  let minimum = rankOf(level)
  const follow = (log: Log): Log => {
    const at = (name: 'debug' | 'info' | 'warn' | 'error'): Log['info'] => {
      const rank = rankOf(name)
      return (fields, message) => {
        if (rank >= minimum) log[name](fields, message)
      }
    }
    const child = (fields: Record<string, unknown>) => follow(log.child(fields))
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child }
  }
  const setLevel = (next: string) => {
    minimum = rankOf(next)
  }
  return { ...follow(whole), setLevel }
}

/** `silent` is the only level that pino does not list. */
function rankOf(level: string): number {
  return pino.levels.values[level] ?? Number.POSITIVE_INFINITY
}

/** Drops lines while the reader is too slow, so that memory stays bounded. */
function bounded(stderr: Output): (text: string) => void {
  let dropped = 0
  return (text) => {
    if ((stderr.writableLength ?? 0) > waitingLimit) {
      dropped++
      return
    }
    if (dropped > 0) {
      const time = pino.stdTimeFunctions.isoTime()
      stderr.write(
        `{"level":40${time},"dropped":${dropped},"msg":"Log lines were dropped: the reader of standard error was too slow"}\n`,
      )
      dropped = 0
    }
    stderr.write(text)
  }
}

/** An event with control characters escaped in names and texts; a stack keeps its line breaks. */
function harmless(line: string): object {
  return JSON.parse(line, (_, value: unknown) => {
    if (typeof value === 'string') return printableLines(value)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [printableLines(name), inner]))
  })
}
