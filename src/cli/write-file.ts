import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { FatalError, UsageError } from '../model/errors.ts'
import { printable } from '../model/printable.ts'
import { UnfitFile } from '../model/regular-file.ts'
import type { Io } from './io.ts'

/**
 * Writes piece after piece into a file that only its owner may read. It is the old one or the whole new one at any time.
 *
 * @throws UsageError when it cannot be begun, FatalError when it cannot be written to the end.
 */
export async function writeFile({ cwd }: Io, name: string, pieces: AsyncIterable<string>): Promise<void> {
  const file = resolve(cwd, name)
  const draft = `${file}.part`
  const fd = begin(file, draft)
  try {
    try {
      for await (const piece of pieces) write(fd, piece)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw unwritten(file, error)
  }
}

/** What went wrong with a file that was to be written, in one sentence; an error that is not the system's as it is. */
export function unwritten(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  return new FatalError(`${printable(file)} cannot be written (${codeOf(error)})`, { cause: error })
}

function begin(file: string, draft: string): number {
  try {
    // A device would be replaced by a file.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw new UnfitFile('it is not a regular file')
    rmSync(draft, { force: true })
    return openSync(draft, 'wx', 0o600)
  } catch (error) {
    const why = error instanceof UnfitFile ? error.message : codeOf(error)
    throw new UsageError(`--output cannot be written (${why}); want a file in a folder that exists`)
  }
}

function write(fd: number, piece: string): void {
  const bytes = Buffer.from(piece)
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
