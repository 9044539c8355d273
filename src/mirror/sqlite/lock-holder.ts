import { readFileSync, statSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { realFile } from './real-file.ts'

export interface LockState {
  /** Null when this user may not read the lock. */
  readonly held: boolean | null
  /** Process with the lock; null when unknown, or in another container. */
  readonly pid: number | null
  /** True when a mirror was made here before; null when unknown. */
  readonly mirrorMade: boolean | null
}

/** Neither waits for the lock nor prevents an engine from starting. */
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

/** An engine's lock is exclusive: nobody else can read the file. */
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
 * The device is not compared, because some file systems report another one here. Null when several processes match.
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
