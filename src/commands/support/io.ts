import { EventEmitter, once } from 'node:events'
import type { Diagnosis } from '../../doctor/diagnosis.ts'
import type { Io } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'
import { leastColumns, wrapLine } from '../../report/terminal.ts'

/**
 * Writes until a write fails; `start` reports the failure. Escapes control characters on a terminal, not in a file.
 *
 * @param isPrintable the only control characters of the pieces are those of colors.
 */
export async function writeAll(
  { stdout }: Io,
  pieces: AsyncIterable<string> | Iterable<string>,
  isPrintable = false,
): Promise<void> {
  const failing = new AbortController()
  const fail = () => failing.abort()
  const stream = stdout instanceof EventEmitter ? stdout : undefined
  stream?.on('error', fail)
  try {
    for await (const piece of pieces) {
      if (failing.signal.aborted) return
      const isSafe = isPrintable || stdout.isTTY !== true
      if (stdout.write(isSafe ? piece : printableLines(piece)) || stream === undefined) continue
      await once(stream, 'drain', { signal: failing.signal }).catch(fail)
    }
  } finally {
    stream?.off('error', fail)
  }
}

/** Removes a progress line from a terminal. */
export const eraseLine = '\r\u001b[K'

/** Writes lines to standard error, on a terminal broken between words. */
export function note({ stderr }: Io, text: string): void {
  stderr.write(`${fittingLog(stderr, text)}\n`)
}

/** Names, on a terminal only, work that may take minutes. */
export function announce(io: Io, text: string): void {
  if (io.stderr.isTTY === true) note(io, text)
}

/** Writes warnings about a valid configuration to standard error, equal ones once. */
export function warn(io: Io, warnings: readonly Diagnosis[]): void {
  const lines = warnings.map(({ text, next }) => `Warning: ${text}. ${next}`)
  for (const line of new Set(lines)) note(io, printable(line))
}

/** Lines for standard error, on a terminal broken between words. */
export function fittingLog({ isTTY, columns = 80 }: Io['stderr'], text: string): string {
  const width = isTTY === true ? { columns: Math.max(leastColumns, columns), hasColors: false } : null
  return text
    .split('\n')
    .map((line) => wrapLine(line, width, 2))
    .join('\n')
}

/** Waits for SIGTERM or SIGINT. */
export async function untilStopped({ stop }: Io): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort')
}

/** Escapes control characters of every line. */
export function printableLines(text: string): string {
  return text
    .split(/(\r?\n)/)
    .map((part, i) => (i % 2 === 0 ? printable(part) : part))
    .join('')
}
