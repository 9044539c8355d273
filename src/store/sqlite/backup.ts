import { existsSync, lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { getTableName } from 'drizzle-orm'
import { FatalError, UsageError } from '../../model/errors.ts'
import { recordTables } from '../records/record-tables.ts'
import { openTempFile } from './backup-temp-file.ts'
import { applicationIdOf, damageOf, toBegin } from './file-guard.ts'
import { applicationId } from './migrate.ts'
import { openSnapshot, real, rootCodeOf } from './open-database.ts'

/** Files beside a live database. SQLite would use leftovers as part of a new database. */
const beside = ['-wal', '-shm', '-journal', '-lock'] as const

function backupTarget(to: string, store: string): string {
  if (to.trim() === '') throw new UsageError('Name the file for the backup')
  const target = followed(resolve(to))
  const known = statSync(target, { throwIfNoEntry: false })
  if (isMirrorItself(target, known, store)) {
    throw new UsageError(`${target} is the mirror itself (store.path) or lies in its place; name another file`)
  }
  if (known?.isDirectory()) throw new UsageError(`${target} is a folder; name a file in it`)
  if (known !== undefined && !known.isFile()) throw new UsageError(`${target} is no regular file; name another one`)
  const other = beside.find((suffix) => existsSync(target + suffix))
  if (other !== undefined) {
    throw new UsageError(`${target}${other} shows that ${target} is, or was, a database in use; name another file`)
  }
  if (known !== undefined && known.size > 0 && applicationIdOf(target) !== applicationId) {
    throw new UsageError(`${target} is no backup of tenantwatch and is left as it is; name another file`)
  }
  return target
}

/** Does not create the folder, so that an unmounted volume is noticed. */
function followed(path: string): string {
  const folder = statSync(dirname(path), { throwIfNoEntry: false })
  if (!folder?.isDirectory())
    throw new UsageError(`There is no folder ${dirname(path)} for the backup; create it first`)
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return join(realpathSync(dirname(path)), basename(path))
  }
  if (!existsSync(path))
    throw new UsageError(`${path} is a symbolic link to a file that does not exist; name another file`)
  return realpathSync(path)
}

function isMirrorItself(target: string, known: Stats | undefined, store: string): boolean {
  const mirror = statSync(store, { throwIfNoEntry: false })
  if (mirror === undefined) return false
  const real = realpathSync(store)
  if (['', ...beside].some((suffix) => target === real + suffix)) return true
  // A hard link.
  return known?.dev === mirror.dev && known.ino === mirror.ino
}

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
    const content = seal(tempFile.file, resolve(from), target)
    tempFile.publish()
    return { file: target, ...content }
  } catch (error) {
    throw failure(error, target)
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

function seal(file: string, from: string, target: string): Omit<Backup, 'file'> {
  const raw = new BetterSqlite3(file, { fileMustExist: true })
  try {
    raw.pragma('temp_store = MEMORY')
    // Not with `simple`, which reads only one row and misses a disk error at the end.
    raw.pragma('journal_mode = DELETE')
    const found = raw.pragma('integrity_check(1)', { simple: true })
    if (found !== 'ok') throw damagedCopy(from, target, String(found).split('\n').at(-1) ?? '')
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

/** A database of another layout may lack tables. */
function countRecords(raw: BetterSqlite3.Database): number {
  const there = new Set(raw.prepare("select name from sqlite_master where type = 'table'").pluck().all())
  const names = Object.values(recordTables).map(({ table }) => getTableName(table))
  const counts = names
    .filter((name) => there.has(name))
    .map((name) => Number(raw.prepare(`select count(*) from "${name}" where removed_at is null`).pluck().get()))
  return counts.reduce((sum, count) => sum + count, 0)
}

function damagedCopy(from: string, target: string, how: string): FatalError {
  return new FatalError(
    `No backup was made: ${from}, or its copy on the disk of ${dirname(target)}, is damaged (${how}); ${toBegin(from)}`,
  )
}

function failure(error: unknown, target: string): unknown {
  if (error instanceof FatalError || error instanceof UsageError) return error
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return error
  const code = rootCodeOf(error)
  const advice = /ENOSPC|EDQUOT|SQLITE_FULL/.test(code)
    ? `free space in ${dirname(target)}`
    : `check that ${dirname(target)} is writable for this user and its disk is sound`
  return new FatalError(`The backup ${target} could not be made (${code}); ${advice}; nothing was replaced`, {
    cause: error,
  })
}
