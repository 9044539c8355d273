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
import type { Io } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'

type Pieces = AsyncIterable<string> | Iterable<string>

export interface WriteFile {
  readonly name: string
  readonly pieces: Pieces
  /** By default only its owner may read it. */
  readonly mode?: number
}

/** Matches the beginning of what commands write: HTML, JSON, CSV, the heading of a table. YAML files may be JSON. */
const ownOutput = /^(?:<!doctype html>|[[{"]|[A-Z]{2,} )/

/** Files of SQLite and the engine beside a database; they may be empty. */
const beside = /-(?:wal|shm|journal|lock)$/

/**
 * Writes a file, or replaces one that a command wrote, but no database, configuration or token. A link is replaced.
 *
 * @throws UsageError when the file cannot be created, FatalError when a write fails.
 */
export async function writeFile({ cwd }: Io, { name, pieces, mode = 0o600 }: WriteFile): Promise<void> {
  const file = resolve(cwd, name)
  const tempFile = `${file}.part`
  const obstacle = obstacleAt(file) ?? obstacleAt(tempFile)
  if (obstacle !== null)
    throw new UsageError(`--output ${printable(file)} cannot be written (${obstacle}); give another name`)
  rmSync(tempFile, { force: true })
  const fd = openNew(file, tempFile, mode)
  try {
    await fill(fd, pieces)
    renameSync(tempFile, file)
  } catch (error) {
    rmSync(tempFile, { force: true })
    if (!(error instanceof Error) || !('syscall' in error)) throw error
    throw new FatalError(`${printable(file)} cannot be written (${codeOf(error)})`, { cause: error })
  }
}

/** What forbids to replace the file; null if nothing does. */
function obstacleAt(path: string): string | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isFile() === false) return 'it is not a regular file'
    const isStore = beside.test(path) ? existsSync(path.replace(beside, '')) : existsSync(`${path}-lock`)
    if (isStore) return 'it is part of a database'
    if (stats === undefined || stats.size === 0) return null
    if (!/\.ya?ml$/i.test(path) && ownOutput.test(beginningOf(path))) return null
    return 'another file exists at this path and is not overwritten'
  } catch (error) {
    return codeOf(error)
  }
}

function beginningOf(path: string): string {
  const fd = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(100)
    return bytes.toString('utf8', 0, readSync(fd, bytes))
  } finally {
    closeSync(fd)
  }
}

function openNew(file: string, tempFile: string, mode: number): number {
  try {
    return openSync(tempFile, 'wx', mode)
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? 'the folder does not exist' : codeOf(error)
    throw new UsageError(
      `--output ${printable(file)} cannot be written (${why}); expected a file in an existing folder`,
    )
  }
}

/** Writes the whole file to the disk, and closes it. */
async function fill(fd: number, pieces: Pieces): Promise<void> {
  try {
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece)
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    }
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

/** Opens a new file with the owner and the permissions of the file `like`. */
function openLike(file: string, like: string): number {
  const { mode, uid, gid } = statSync(like)
  const fd = openSync(file, 'wx', mode)
  fchownSync(fd, uid, gid)
  fchmodSync(fd, mode)
  return fd
}

/** A file as it is to become, with the owner and the permissions of the file `like`. */
export interface FileChange {
  readonly like: string
  /** Null = the file must not exist. */
  readonly before: string | null
  readonly after: string
}

/**
 * Writes a file atomically, unless its text is no longer `before`. `<file>.part` excludes other processes meanwhile.
 *
 * @returns what prevents the change; null when it is done.
 */
export async function changeFile(file: string, { like, before, after }: FileChange): Promise<string | null> {
  const tempFile = `${file}.part`
  try {
    await fill(openLike(tempFile, like), [after])
    const now = existsSync(file) ? readFileSync(file, 'utf8') : null
    if (now === before) renameSync(tempFile, file)
    else rmSync(tempFile)
    return now === before ? null : 'another process has changed it meanwhile'
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      return `another process changes it; if that was killed, delete ${printable(tempFile)}`
    rmSync(tempFile, { force: true })
    return codeOf(error)
  }
}
