import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { FatalError } from '../../model/errors.ts'
import { type EngineLock, takeEngineLock } from './engine-lock.ts'

const prefix = '.tenantwatch-backup-'
const name = 'backup.db'
const beginning = 'begun'

/** A file in its own folder beside the target, deleted on disposal unless it was published. */
export interface TempFile extends Disposable {
  readonly file: string
  /** @throws FatalError when the file is in place but its folder cannot be synced, so that a power cut may undo it. */
  publish(): void
}

/** Also deletes leftovers of killed backups in the folder of the target. */
export function openTempFile(target: string): TempFile {
  const place = dirname(target)
  clearRemains(place)
  const folder = mkdtempSync(join(place, prefix))
  const file = join(folder, name)
  let lock: EngineLock | undefined
  try {
    // Another process may delete everything beside an unlocked file of the final name.
    lock = takeEngineLock(join(folder, beginning))
    renameSync(join(folder, `${beginning}-lock`), `${file}-lock`)
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

function clearRemains(place: string): void {
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    const folder = join(place, entry.name)
    // Without a lock file, another process is creating it, or the folder is empty.
    if (!entry.isDirectory() || !entry.name.startsWith(prefix) || !existsSync(join(folder, `${name}-lock`))) continue
    try {
      discard(folder, takeEngineLock(join(folder, name)))
    } catch {
      // The backup is in progress, or belongs to another user.
    }
  }
}

/** Never throws: the next backup deletes leftovers. */
function discard(folder: string, lock: EngineLock | undefined): void {
  const file = join(folder, name)
  try {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true })
    lock?.[Symbol.dispose]()
    // Only after the lock is released, because network file systems keep open files.
    for (const locked of [name, beginning]) rmSync(join(folder, `${locked}-lock`), { force: true })
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
