import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { FatalError, UsageError } from '../../../model/errors.ts'
import { dayMs } from '../../../model/time.ts'
import { realFile, sizeOf, suffixes } from './database-file.ts'
import { applicationId } from './layout.ts'
import { openSnapshot } from './open.ts'
import { codeOf, isDamage, restoreAdvice } from './store-error.ts'
import { findDamage } from './verify-file.ts'

export interface BackupOptions {
  readonly from: string
  readonly to: string
  readonly signal: AbortSignal
}

export type Backup = Awaited<ReturnType<typeof backUpMirror>>

/** Some milliseconds of work; signals are handled in between. */
const pagesPerStep = 100

/** @throws UsageError when the target is unsuitable, FatalError when the copy fails; an earlier backup then stays. */
export async function backUpMirror({ from, to, signal }: BackupOptions) {
  let target = to
  try {
    target = backupTarget(to)
    using source = openSnapshot(from)
    using folder = temporaryFolder(dirname(target))
    const file = join(folder.path, 'backup.db')
    closeSync(openSync(file, 'wx', 0o600))
    // Not by `vacuum into`, which cannot be stopped and hides damage. A snapshot prevents restarts at each commit.
    await source.raw.backup(file, {
      progress() {
        signal.throwIfAborted()
        return pagesPerStep
      },
    })
    const content = contentOf(file)
    const damage = await findDamage(file, signal)
    if (damage !== null) throw damagedCopy(source.file, target, damage)
    renameSync(file, target)
    syncFolder(dirname(target))
    return { file: target, ...content }
  } catch (error) {
    throw backupError(error, from, target)
  }
}

/** Makes the copy one file without a log. */
function contentOf(file: string) {
  const raw = new BetterSqlite3(file)
  try {
    // Not with `simple`, which reads only one row and misses a disk error at the end.
    raw.pragma('journal_mode = DELETE')
    const records = Number(raw.prepare('select count(*) from records where removed_at is null').pluck().get())
    const synced = 'select max(max(ifnull(incremental_success_at, 0), ifnull(full_success_at, 0))) from sync_states'
    const syncedAt = Number(raw.prepare(synced).pluck().get())
    /** The last successful run, in milliseconds since the epoch; null = none. */
    return { bytes: sizeOf(file), records, syncedAt: syncedAt === 0 ? null : syncedAt }
  } finally {
    raw.close()
  }
}

/** Without this a power cut could undo the renaming. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

const prefix = '.tenantwatch-backup-'

/** A folder in `place`, deleted on disposal. Those of backups that were killed over a day ago are deleted, too. */
function temporaryFolder(place: string): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(place, prefix))
  const { mtimeMs } = statSync(path)
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    const other = join(place, entry.name)
    if (!entry.isDirectory() || !entry.name.startsWith(prefix)) continue
    // Another backup may end meanwhile.
    const { mtimeMs: since } = statSync(other, { throwIfNoEntry: false }) ?? { mtimeMs }
    if (mtimeMs - since > dayMs) discard(other)
  }
  return { path, [Symbol.dispose]: () => discard(path) }
}

/** Never throws: a later backup deletes what is left. */
function discard(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {}
}

/** The real path of the new file. Only an earlier backup or an empty file is replaced. */
function backupTarget(to: string): string {
  if (to.trim() === '') throw new UsageError('Name the file for the backup')
  const folder = dirname(resolve(to))
  // Not created, so that an unmounted volume is noticed.
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`There is no folder ${folder} for the backup; create it first`)
  const target = realFile(to)
  // SQLite would use such files as part of the database beside them. The mirror has a lock.
  const beside = [...suffixes.filter((suffix) => suffix !== ''), '-journal']
  if (beside.some((suffix) => target.endsWith(suffix) || existsSync(target + suffix)))
    throw new UsageError(`${target} is, or was, part of a database in use; name another file`)
  if (existsSync(target) && !isReplaceable(target))
    throw new UsageError(`${target} is no backup of tenantwatch and is left as it is; name another file`)
  return target
}

/** Not read-only: such a connection would leave files beside a database in WAL mode. */
function isReplaceable(file: string): boolean {
  const stats = statSync(file)
  if (!stats.isFile()) return false
  if (stats.size === 0) return true
  let raw: BetterSqlite3.Database | undefined
  try {
    raw = new BetterSqlite3(file)
    return raw.pragma('application_id', { simple: true }) === applicationId
  } catch {
    return false
  } finally {
    raw?.close()
  }
}

function backupError(error: unknown, from: string, target: string): unknown {
  const code = codeOf(error)
  if (code === 'ENAMETOOLONG') return new UsageError(`The name ${target} is too long; name another file`)
  if (error instanceof FatalError || !/^(E[A-Z0-9]+|SQLITE_\w+)$/.test(code)) return error
  if (isDamage(code)) return damagedCopy(from, target, code)
  const advice = /ENOSPC|EDQUOT|SQLITE_FULL/.test(code)
    ? `free space in ${dirname(target)}`
    : `check that ${dirname(target)} is writable for this user and its disk is sound`
  return new FatalError(`The backup ${target} could not be made (${code}); ${advice}`, { cause: error })
}

function damagedCopy(from: string, target: string, how: string): FatalError {
  return new FatalError(
    `No backup was made: ${from}, or its copy on the disk of ${dirname(target)}, is damaged (${how}); ${restoreAdvice(from)}`,
  )
}
