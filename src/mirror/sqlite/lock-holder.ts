import { readFileSync, statSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { realFile } from './real-file.ts'

/** Whether an engine works on a database. */
export interface LockState {
  /** Null where this user may not look. */
  readonly held: boolean | null
  /** The process that holds the lock, where the system tells; null also for one of another container. */
  readonly pid: number | null
  /** True when a mirror was made here before, so that none is made again; null while that cannot be told. */
  readonly mirrorMade: boolean | null
}

/** Looks at the engine's lock on a database without waiting for it or keeping an engine that starts from it. */
export function lockStateOf(storePath: string): LockState {
  try {
    const path = `${realFile(storePath)}-lock`
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return { held: false, pid: null, mirrorMade: false }
    const { held, mirrorMade } = look(path)
    return { held, pid: held === true ? holderOf(stats.ino) : null, mirrorMade }
  } catch {
    return { held: null, pid: null, mirrorMade: null }
  }
}

/** An engine's lock is exclusive: nobody can read the file beside it, not even for an instant. */
function look(path: string): Pick<LockState, 'held' | 'mirrorMade'> {
  let lock: BetterSqlite3.Database | undefined
  try {
    lock = new BetterSqlite3(path, { readonly: true, fileMustExist: true, timeout: 0 })
    return { held: false, mirrorMade: lock.pragma('user_version', { simple: true }) === 1 }
  } catch (error) {
    const isBusy = error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
    return { held: isBusy ? true : null, mirrorMade: null }
  } finally {
    lock?.close()
  }
}

/**
 * Linux lists every lock with its process and inode: `1: POSIX  ADVISORY  WRITE 4711 00:2f:131 1073741825 1073741825`.
 * The device is not compared, for some file systems show another one here; where several processes fit, none is named.
 */
function holderOf(inode: number): number | null {
  try {
    const lines = readFileSync('/proc/locks', 'utf8').split('\n')
    const fitting = lines.filter((one) => one.includes(' WRITE ') && one.includes(`:${inode} `))
    const pids = new Set(fitting.map((line) => Number(/ WRITE +(\d+) /.exec(line)?.[1])))
    const [pid = 0] = pids
    return pids.size === 1 && pid > 0 ? pid : null
  } catch {
    return null
  }
}
