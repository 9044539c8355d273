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
const name = 'draft.db'
/** Its lock has this name until it is held. */
const beginning = 'begun'

/** A backup in the making: a file in a folder of its own beside its target, gone with it unless it was published. */
export interface Draft extends Disposable {
  readonly file: string
  /**
   * Puts the file in the place of the target, on disk before it counts.
   *
   * @throws FatalError when it is there but a power cut could undo that; whatever else the disk says as it is.
   */
  publish(): void
}

/** Begins a backup, and clears away what killed ones left in the folder of the target. */
export function openTempFile(target: string): Draft {
  const place = dirname(target)
  clearRemains(place)
  const folder = mkdtempSync(join(place, prefix))
  const file = join(folder, name)
  let lock: EngineLock | undefined
  try {
    // Who finds one of the final name that nobody holds may clear everything away.
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

/** Only files of these names whose process is gone: the operating system has released its lock. */
function clearRemains(place: string): void {
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    const folder = join(place, entry.name)
    // Without the lock it is being begun by another process, or holds nothing.
    if (!entry.isDirectory() || !entry.name.startsWith(prefix) || !existsSync(join(folder, `${name}-lock`))) continue
    try {
      discard(folder, takeEngineLock(join(folder, name)))
    } catch {
      // Its maker is at work, or it is another user's.
    }
  }
}

/** Never fails: what stays is cleared away by the next backup. */
function discard(folder: string, lock: EngineLock | undefined): void {
  const file = join(folder, name)
  try {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true })
    lock?.[Symbol.dispose]()
    // After the lock was given back: network file systems keep a file that is open.
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
