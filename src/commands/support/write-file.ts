import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { FatalError, UsageError } from '../../model/errors.ts'
import { UnfitFile } from '../../model/process/files.ts'
import type { Io } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'

export interface WriteFile {
  readonly name: string
  readonly pieces: AsyncIterable<string>
}

/** Matches the beginning of what commands write: HTML, JSON, CSV, the heading of a table. */
const ownOutput = /^(?:<!doctype html>|[[{"]|[A-Z]{2,} )/

/** Only its owner may read it. @throws UsageError when the file cannot be created, FatalError when a write fails. */
export async function writeFile({ cwd }: Io, { name, pieces }: WriteFile): Promise<void> {
  const file = resolve(cwd, name)
  const tempFile = `${file}.part`
  const fd = begin(file, tempFile)
  try {
    try {
      for await (const piece of pieces) write(fd, piece)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(tempFile, file)
  } catch (error) {
    rmSync(tempFile, { force: true })
    throw unwritten(file, error)
  }
}

/** Bytes read to recognize a file. */
const beginningBytes = 64 * 1024

/** Files of SQLite and the engine beside a database; they may be empty. */
const beside = /-(?:wal|shm|journal|lock)$/

/** A database, a configuration or a token is not overwritten. Links are followed. @throws UnfitFile or a system error */
export function assertReplaceable(path: string, own: RegExp): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile() === false) throw new UnfitFile('it is not a regular file')
  const isStore = beside.test(path) ? existsSync(path.replace(beside, '')) : existsSync(`${path}-lock`)
  if (isStore) throw new UnfitFile('it is part of a database')
  if (stats === undefined || stats.size === 0 || own.test(beginningOf(path))) return
  throw new UnfitFile('another file exists at this path and is not overwritten')
}

function beginningOf(path: string): string {
  const fd = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(beginningBytes)
    return bytes.toString('utf8', 0, readSync(fd, bytes))
  } finally {
    closeSync(fd)
  }
}

/** Words a write error; returns other errors unchanged. */
export function unwritten(file: string, error: unknown): unknown {
  if (error instanceof UnfitFile) return new FatalError(`${printable(file)} cannot be written (${error.message})`)
  if (!(error instanceof Error) || !('syscall' in error)) return error
  return new FatalError(`${printable(file)} cannot be written (${codeOf(error)})`, { cause: error })
}

function begin(file: string, tempFile: string): number {
  try {
    for (const path of [file, tempFile]) assertReplaceable(path, ownOutput)
    rmSync(tempFile, { force: true })
    return openSync(tempFile, 'wx', 0o600)
  } catch (error) {
    const isUnfit = error instanceof UnfitFile
    const why = isUnfit ? error.message : whyNotCreated(codeOf(error))
    const wanted = isUnfit ? 'give another name' : 'expected a file in an existing folder'
    throw new UsageError(`--output ${printable(file)} cannot be written (${why}); ${wanted}`)
  }
}

function whyNotCreated(code: string): string {
  return code === 'ENOENT' ? 'the folder does not exist' : code
}

function write(fd: number, piece: string): void {
  const bytes = Buffer.from(piece)
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

export interface Change {
  readonly before: string
  readonly after: string
  /** In milliseconds since the epoch. */
  readonly now: number
}

/**
 * Replaces a file atomically, with its permissions, unless its text differs from `before`. `<file>.lock` excludes other
 * processes meanwhile.
 *
 * @returns what prevents the change at present; null when it is done. @throws a system error
 */
export function changeFile(file: string, { before, after, now }: Change): string | null {
  const lock = `${file}.lock`
  if (!acquire(lock, now)) return `another process changes it and holds ${printable(lock)}`
  const tempFile = `${file}.${randomUUID()}.part`
  try {
    if (readFileSync(file, 'utf8') !== before) return 'another process changes it again and again'
    const { mode, uid, gid } = statSync(file)
    const fd = openSync(tempFile, 'wx', mode)
    try {
      fchownSync(fd, uid, gid)
      fchmodSync(fd, mode)
      write(fd, after)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(tempFile, file)
    return null
  } finally {
    rmSync(tempFile, { force: true })
    rmSync(lock, { force: true })
  }
}

/** A lock is held for milliseconds; an older one was left by a killed process. */
const staleLockMs = 60_000

function acquire(lock: string, now: number): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600))
    return true
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  const held = statSync(lock, { throwIfNoEntry: false })
  // Does not acquire the lock now: another process may be removing it, too.
  if (held !== undefined && Math.abs(now - held.mtimeMs) > staleLockMs) rmSync(lock, { force: true })
  return false
}
