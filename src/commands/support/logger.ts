import pino from 'pino'
import type { Log } from '../../model/log.ts'
import type { Io, Output } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'
import { escapeInJson } from '../../model/text/printable-json.ts'

/** A log whose level can be changed, with that of all its children. */
export interface LevelledLog extends Log {
  readonly setLevel: (level: string) => void
}

/** What may wait for a reader that does not read, in bytes; what comes on top is dropped and counted. */
const waitingLimit = 1024 * 1024

/**
 * A log on standard error: JSON lines, or readable text where a person watches. Whatever a tenant brought into a field,
 * an event stays one line and nothing of it acts on a terminal.
 */
export async function createLog({ stderr }: Io, level: string): Promise<LevelledLog> {
  const write = bounded(stderr)
  const options = { level: 'trace', base: null, timestamp: pino.stdTimeFunctions.isoTime } as const
  if (stderr.isTTY === true) {
    const { default: pretty } = await import('pino-pretty')
    const format = pretty.prettyFactory({ ignore: 'pid,hostname' })
    return levelled(pino(options, { write: (line: string) => write(format(harmless(line))) }), level)
  }
  return levelled(pino(options, { write: (line: string) => write(escapeInJson(line)) }), level)
}

/** Children of pino keep the level they were born with; here all of them follow. */
function levelled(whole: Log, level: string): LevelledLog {
  let least = rankOf(level)
  const follow = (log: Log): Log => {
    const at = (name: 'debug' | 'info' | 'warn' | 'error'): Log['info'] => {
      const rank = rankOf(name)
      return (fields, message) => {
        if (rank >= least) log[name](fields, message)
      }
    }
    const child = (fields: Record<string, unknown>) => follow(log.child(fields))
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child }
  }
  const setLevel = (next: string) => {
    least = rankOf(next)
  }
  return { ...follow(whole), setLevel }
}

/** `silent`, and only that, is no level of pino's own. */
function rankOf(level: string): number {
  return pino.levels.values[level] ?? Number.POSITIVE_INFINITY
}

/** Writes while somebody reads: an engine must not grow by what nobody takes. */
function bounded(stderr: Output): (text: string) => void {
  let dropped = 0
  return (text) => {
    if ((stderr.writableLength ?? 0) > waitingLimit) {
      dropped++
      return
    }
    if (dropped > 0) {
      const time = pino.stdTimeFunctions.isoTime()
      stderr.write(`{"level":40${time},"dropped":${dropped},"msg":"Nobody read the log; lines were dropped"}\n`)
      dropped = 0
    }
    stderr.write(text)
  }
}

/** An event with every name and text in it fit for a terminal; the lines of a stack stay lines. */
function harmless(line: string): object {
  return JSON.parse(line, (_, value: unknown) => {
    if (typeof value === 'string') return shown(value)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [shown(name), inner]))
  })
}

function shown(text: string): string {
  return text
    .split('\n')
    .map((part) => printable(part))
    .join('\n')
}
