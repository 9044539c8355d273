import { EventEmitter, once } from 'node:events'
import type { Io } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'

/**
 * Writes piece after piece to standard output, waiting while the reader is slow. Nothing more is written once that
 * fails; the entry decides what a failure means. A terminal is shown no character that acts on it; a file or a pipe gets
 * all of them as they are.
 */
export async function writeAll({ stdout }: Io, pieces: AsyncIterable<string>): Promise<void> {
  const failing = new AbortController()
  const fail = () => failing.abort()
  const stream = stdout instanceof EventEmitter ? stdout : undefined
  stream?.on('error', fail)
  try {
    for await (const piece of pieces) {
      if (failing.signal.aborted) return
      if (stdout.write(stdout.isTTY === true ? harmless(piece) : piece) || stream === undefined) continue
      await once(stream, 'drain', { signal: failing.signal }).catch(fail)
    }
  } finally {
    stream?.off('error', fail)
  }
}

/** The lines of a text with visible escapes; the ends of lines stay as they are. */
function harmless(piece: string): string {
  return piece
    .split(/(\r?\n)/)
    .map((part, i) => (i % 2 === 0 ? printable(part) : part))
    .join('')
}
