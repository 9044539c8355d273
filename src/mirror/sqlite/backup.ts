import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { getTableName } from 'drizzle-orm'
import { FatalError, UsageError } from '../../model/errors.ts'
import { recordTables } from '../records/record-tables.ts'
import { backupTarget } from './backup-target.ts'
import { openTempFile } from './backup-temp-file.ts'
import { damageOf, toBegin } from './file-guard.ts'
import { codeOf, openSnapshot } from './open-database.ts'

/** A few milliseconds of work a step; signals are handled in between. */
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

/** @throws UsageError when the target is unsuitable, FatalError when the copy fails; the target then stays. */
export async function backUpMirror(options: BackupOptions): Promise<Backup> {
  const { from, to, onProgress } = options
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

/**
 * Copies page by page: `vacuum into` has no progress, cannot be stopped and would repair damage that the check must
 * find. The transaction of the snapshot keeps the copy from restarting at each commit of the engine.
 */
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
    // Not `simple`, which reads one row only and misses a disk error at the end.
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
  const code = codeOf(error)
  const advice = /ENOSPC|EDQUOT|SQLITE_FULL/.test(code)
    ? `free space in ${dirname(target)}`
    : `check that ${dirname(target)} is writable for this user and its disk is sound`
  return new FatalError(`The backup ${target} could not be made (${code}); ${advice}; nothing was replaced`, {
    cause: error,
  })
}
