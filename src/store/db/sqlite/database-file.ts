import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { FatalError } from '../../../model/errors.ts'
import { openError, restoreAdvice } from './store-error.ts'

/** The database, its log, the index of that, and the lock of the engine. */
export const suffixes = ['', '-wal', '-shm', '-lock'] as const

export type StoreSize = Readonly<ReturnType<typeof storeSize>>

/** Follows symbolic links, even before the file exists, so that a database has one lock and one log. */
export function realFile(path: string): string {
  const file = resolve(path)
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return realpathSync(file)
  const folder = dirname(file)
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    return realFile(resolve(realpathSync(folder), readlinkSync(file)))
  return folder === file ? file : join(realFile(folder), basename(file))
}

/** Sizes of a database and its log; 0 for missing files. */
export function storeSize(path: string) {
  const file = realFile(path)
  return { bytes: sizeOf(file), walBytes: sizeOf(`${file}-wal`) }
}

/** True for a file that cannot be examined, too: opening it reports the reason. */
export function mayExist(path: string): boolean {
  try {
    return storeSize(path).bytes > 0
  } catch {
    return true
  }
}

export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** @throws FatalError for a folder, or a file with hard links: each name would get its own lock and log. */
export function assertFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isDirectory()) throw new FatalError(`${file} is a folder; name a file in it, as in store.path`)
  if (stats !== undefined && stats.nlink > 1)
    throw new FatalError(
      `The database ${file} has ${stats.nlink} names (hard links), each with a lock and a log of its own; remove the others`,
    )
}

/** The files of an open database by path. SQLite would continue to write into files that lost their names. */
export type OpenFiles = ReadonlyMap<string, Stats>

export function openFilesOf(file: string): OpenFiles {
  const files = new Map<string, Stats>()
  for (const suffix of suffixes) {
    const stats = statSync(file + suffix, { throwIfNoEntry: false })
    if (stats !== undefined) files.set(file + suffix, stats)
  }
  return files
}

/**
 * Opens no file: closing one releases all POSIX locks of the process on it.
 *
 * @throws FatalError when a file was deleted, replaced or emptied, or cannot be examined.
 */
export function assertInPlace(file: string, files: OpenFiles): void {
  for (const [path, opened] of files) {
    const change = changeOf(path, opened)
    if (change === null) continue
    if (path === file) throw new FatalError(`The database ${file} was ${change} ${ended}; ${restoreAdvice(file)}`)
    throw new FatalError(`${path} was ${change} ${ended}; nothing is lost, start it again`)
  }
}

const ended = 'under the running engine, which ends here'

function changeOf(path: string, opened: Stats): 'deleted' | 'emptied' | 'replaced' | null {
  try {
    const now = statSync(path, { throwIfNoEntry: false })
    if (now === undefined) return 'deleted'
    if (now.dev !== opened.dev || now.ino !== opened.ino) return 'replaced'
    // A checkpoint empties the log.
    return now.size === 0 && opened.size > 0 && !path.endsWith('-wal') ? 'emptied' : null
  } catch (error) {
    throw openError(error, path)
  }
}
