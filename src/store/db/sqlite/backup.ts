import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { FatalError, UsageError } from '../../../model/errors.ts'
import { openTempFile } from './backup-temp-file.ts'
import { damageOf, restoreAdvice, rootCodeOf } from './file-errors.ts'
import { applicationId } from './layout.ts'
import { openSnapshot, real } from './open.ts'
import { problemOf } from './verify-file.ts'

/** A few milliseconds of work per step; signals are handled in between. */
const defaultPagesPerStep = 1000

export interface BackupOptions {
  readonly from: string
  readonly to: string
  readonly signal: AbortSignal
  readonly onProgress?: (step: BackupStep) => void
  readonly pagesPerStep?: number
}

export type BackupStep =
  | { readonly doing: 'copying'; readonly pages: number; readonly of: number }
  | { readonly doing: 'checking' }

export interface Backup {
  readonly file: string
  readonly bytes: number
  readonly records: number
  /** Last successful run, in milliseconds since the epoch; null = none. */
  readonly syncedAt: number | null
}

/** @throws UsageError when the target is unsuitable, FatalError when the copy fails; the target is then unchanged. */
export async function backUpMirror(options: BackupOptions): Promise<Backup> {
  const { to, onProgress } = options
  // Check the source first, so that an unreadable mirror is not reported as a problem of the target.
  const from = real(options.from)
  let target = to
  try {
    target = backupTarget(to, from)
    using tempFile = openTempFile(target)
    await copy(options, tempFile.file)
    onProgress?.({ doing: 'checking' })
    const content = verifyCopy(tempFile.file, from, target)
    tempFile.publish()
    return { file: target, ...content }
  } catch (error) {
    throw backupError(error, target)
  }
}

/** Not by `vacuum into`, which cannot be stopped and hides damage. A snapshot prevents restarts at each commit. */
async function copy({ from, signal, onProgress, pagesPerStep }: BackupOptions, file: string): Promise<void> {
  const source = openSnapshot(from)
  try {
    await source.backup(file, {
      progress({ totalPages, remainingPages }) {
        signal.throwIfAborted()
        onProgress?.({ doing: 'copying', pages: totalPages - remainingPages, of: totalPages })
        return pagesPerStep ?? defaultPagesPerStep
      },
    })
  } finally {
    source.close()
  }
}

/** Checks the copy and makes it one file without a log. */
function verifyCopy(file: string, from: string, target: string): Omit<Backup, 'file'> {
  const raw = new BetterSqlite3(file, { fileMustExist: true })
  try {
    // Not with `simple`, which reads only one row and misses a disk error at the end.
    raw.pragma('journal_mode = DELETE')
    const problem = problemOf(raw)
    if (problem !== null) throw damagedCopy(from, target, problem)
    const synced = 'select max(max(ifnull(incremental_success_at, 0), ifnull(full_success_at, 0))) from sync_states'
    const syncedAt = Number(raw.prepare(synced).pluck().get())
    return { bytes: statSync(file).size, records: countRecords(raw), syncedAt: syncedAt === 0 ? null : syncedAt }
  } catch (error) {
    const damage = damageOf(error)
    throw damage === null ? error : damagedCopy(from, target, damage)
  } finally {
    raw.close()
  }
}

/** A database of another layout may lack the table. */
function countRecords(raw: BetterSqlite3.Database): number {
  const table = raw.prepare("select 1 from sqlite_master where type = 'table' and name = 'records'").get()
  if (table === undefined) return 0
  return Number(raw.prepare('select count(*) from records where removed_at is null').pluck().get())
}

/** The real path of the new file. Only an earlier backup or an empty file is replaced. */
function backupTarget(to: string, store: string): string {
  if (to.trim() === '') throw new UsageError('Name the file for the backup')
  const target = followLinks(resolve(to))
  const stats = statSync(target, { throwIfNoEntry: false })
  const mirror = statSync(store, { throwIfNoEntry: false })
  const isMirror = stats !== undefined && stats.dev === mirror?.dev && stats.ino === mirror.ino
  if (isMirror) throw new UsageError(`${target} is the mirror itself (store.path); name another file`)
  if (stats !== undefined && !stats.isFile())
    throw new UsageError(`${target} is no regular file, but a folder or device; name a file`)
  // SQLite would use such files as part of the database beside them.
  const beside = ['-wal', '-shm', '-journal', '-lock'] as const
  if (beside.some((suffix) => target.endsWith(suffix) || existsSync(target + suffix)))
    throw new UsageError(`${target} is, or was, part of a database in use; name another file`)
  if (stats !== undefined && stats.size > 0 && !isBackup(target))
    throw new UsageError(`${target} is no backup of tenantwatch and is left as it is; name another file`)
  return target
}

/** Does not create the folder, so that an unmounted volume is noticed. */
function followLinks(path: string): string {
  const folder = dirname(path)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`There is no folder ${folder} for the backup; create it first`)
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return join(realpathSync(folder), basename(path))
  if (existsSync(path)) return realpathSync(path)
  throw new UsageError(`${path} is a symbolic link to a file that does not exist; name another file`)
}

/** Not read-only: such a connection would leave files beside a database in WAL mode. */
function isBackup(file: string): boolean {
  let raw: BetterSqlite3.Database | undefined
  try {
    raw = new BetterSqlite3(file, { fileMustExist: true })
    return raw.pragma('application_id', { simple: true }) === applicationId
  } catch {
    return false
  } finally {
    raw?.close()
  }
}

function damagedCopy(from: string, target: string, how: string): FatalError {
  return new FatalError(
    `No backup was made: ${from}, or its copy on the disk of ${dirname(target)}, is damaged (${how}); ${restoreAdvice(from)}`,
  )
}

function backupError(error: unknown, target: string): unknown {
  if (error instanceof FatalError || error instanceof UsageError || !(error instanceof Error)) return error
  const code = rootCodeOf(error)
  if (!/^(E[A-Z0-9]+|SQLITE_\w+)$/.test(code)) return error
  const advice = /ENOSPC|EDQUOT|SQLITE_FULL/.test(code)
    ? `free space in ${dirname(target)}`
    : `check that ${dirname(target)} is writable for this user and its disk is sound`
  return new FatalError(`The backup ${target} could not be made (${code}); ${advice}; nothing was replaced`, {
    cause: error,
  })
}
