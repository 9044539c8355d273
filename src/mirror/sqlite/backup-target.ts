import { existsSync, lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { UsageError } from '../../model/errors.ts'
import { headerOf } from './file-guard.ts'
import { applicationId } from './migrate.ts'

/** Files of a live database. SQLite would take leftovers for part of a new database. */
const beside = ['-wal', '-shm', '-journal', '-lock'] as const

/** @throws UsageError when the target is neither free nor a backup, or another file would be endangered. */
export function backupTarget(to: string, store: string): string {
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
    throw new UsageError(`${target}${other} shows that ${target} is a database at work, or was one; name another file`)
  }
  if (known !== undefined && known.size > 0 && !isOurs(target)) {
    throw new UsageError(`${target} is no backup of tenantwatch and is left as it is; name another file`)
  }
  return target
}

/** Does not create the folder: an unmounted volume must not go unnoticed. */
function followed(path: string): string {
  const folder = statSync(dirname(path), { throwIfNoEntry: false })
  if (!folder?.isDirectory()) throw new UsageError(`There is no folder ${dirname(path)} for the backup; make it first`)
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return join(realpathSync(dirname(path)), basename(path))
  }
  if (!existsSync(path)) throw new UsageError(`${path} is a symbolic link to nowhere; name another file`)
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

/** SQLite file format, section 1.3. */
function isOurs(file: string): boolean {
  const header = headerOf(file)
  return header.toString('latin1', 0, 16) === 'SQLite format 3\0' && header.readUInt32BE(68) === applicationId
}
