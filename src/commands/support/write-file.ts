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
  writeFileSync,
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
    await putInPlace(fd, tempFile, file, pieces)
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

async function putInPlace(
  fd: number,
  tempFile: string,
  file: string,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  try {
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece)
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    }
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(tempFile, file)
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

/** Writes a new file with the permissions of another one. @throws a system error, also when it exists */
export function createFile(file: string, like: string, text: string): void {
  const fd = openLike(file, like)
  try {
    writeFileSync(fd, text)
  } finally {
    closeSync(fd)
  }
}

/**
 * Replaces a file atomically, with its permissions, unless its text differs from `before`. `<file>.lock` excludes other
 * processes meanwhile.
 *
 * @returns what prevents the change; null when it is done.
 */
export async function changeFile(file: string, before: string, after: string): Promise<string | null> {
  const lock = `${file}.lock`
  const tempFile = `${file}.part`
  try {
    closeSync(openSync(lock, 'wx', 0o600))
  } catch (error) {
    return codeOf(error) === 'EEXIST'
      ? `another process changes it; if that was killed, delete ${printable(lock)}`
      : codeOf(error)
  }
  try {
    if (readFileSync(file, 'utf8') !== before) return 'another process has changed it meanwhile'
    rmSync(tempFile, { force: true })
    await putInPlace(openLike(tempFile, file), tempFile, file, [after])
    return null
  } catch (error) {
    return codeOf(error)
  } finally {
    rmSync(tempFile, { force: true })
    rmSync(lock, { force: true })
  }
}
