import { closeSync, fsyncSync, mkdtempSync, openSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FatalError } from '../../../model/errors.ts'
import { type EngineLock, takeEngineLock } from './engine-lock.ts'

const prefix = '.tenantwatch-backup-'
const name = 'backup.db'

/** A file in its own folder beside the target, deleted on disposal unless it was published. */
export interface TempFile extends Disposable {
  readonly file: string
  /** @throws FatalError when the file is in place but its folder cannot be synced, so that a power cut may undo it. */
  publish(): void
}

/** Also deletes leftovers of killed backups in the folder of the target; a lock protects those in progress. */
export function openTempFile(target: string): TempFile {
  const place = dirname(target)
  for (const entry of readdirSync(place, { withFileTypes: true }))
    if (entry.isDirectory() && entry.name.startsWith(prefix)) discardUnlocked(join(place, entry.name))
  const folder = mkdtempSync(join(place, prefix))
  const file = join(folder, name)
  let lock: EngineLock | undefined
  try {
    lock = takeEngineLock(file)
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    discard(folder, lock)
    throw error
  }
  return {
    file,
    publish() {
      sync(file)
      renameSync(file, target)
      try {
        sync(place)
      } catch (error) {
        throw new FatalError(
          `The backup ${target} is made, but its folder cannot be synced, so a power cut may undo it; make it again`,
          { cause: error },
        )
      }
    },
    [Symbol.dispose]: () => discard(folder, lock),
  }
}

function discardUnlocked(folder: string): void {
  try {
    discard(folder, takeEngineLock(join(folder, name)))
  } catch {
    // The backup is in progress, or belongs to another user.
  }
}

/** Never throws: the next backup deletes leftovers. */
function discard(folder: string, lock: EngineLock | undefined): void {
  try {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(join(folder, name + suffix), { force: true })
    lock?.[Symbol.dispose]()
    // Only after the lock is released, because network file systems keep open files.
    rmSync(join(folder, `${name}-lock`), { force: true })
    rmdirSync(folder)
  } catch {}
}

function sync(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
