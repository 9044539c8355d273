import { lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { EngineRunning, FatalError } from '../../model/errors.ts'
import { codeOf } from './connection.ts'

const contentionMs = 500

export interface EngineLock extends Disposable {
  /** True if a mirror was created here before, so that a missing or empty one was lost. */
  readonly mirrorMade: boolean
  noteMirrorMade(): void
}

/** @throws FatalError when another engine has the lock; the operating system releases it even after SIGKILL. */
export function takeEngineLock(storePath: string): EngineLock {
  const path = `${storePath}-lock`
  const lock = new BetterSqlite3(path, { timeout: contentionMs })
  try {
    // No journal file for a page that is written once.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('begin exclusive')
    // Only after the lock is taken: in this mode a waiting engine would keep its shared lock, and all would fail.
    lock.pragma('locking_mode = EXCLUSIVE')
    return {
      mirrorMade: lock.pragma('user_version', { simple: true }) === 1,
      noteMirrorMade() {
        lock.pragma('user_version = 1')
        // The lock stays: in exclusive locking mode only closing releases it.
        lock.exec('commit')
      },
      [Symbol.dispose]: () => void lock.close(),
    }
  } catch (error) {
    lock.close()
    const code = codeOf(error)
    if (code.startsWith('SQLITE_BUSY')) {
      const message = `Another tenantwatch engine (run, sync or demo) is working on ${storePath}; stop it first`
      throw new EngineRunning(message, { cause: error })
    }
    if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
      throw new FatalError(`The lock file ${path} is damaged; delete it and start again`, { cause: error })
    throw error
  }
}

export interface LockState {
  readonly held: boolean | null
  /** Process with the lock; null when unknown, or in another container. */
  readonly pid: number | null
  readonly mirrorMade: boolean | null
}

/** Does not wait for the lock or prevent an engine from starting. */
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

/** While an engine has its exclusive lock, nobody else can read the file. */
function look(path: string): Pick<LockState, 'held' | 'mirrorMade'> {
  let lock: BetterSqlite3.Database | undefined
  try {
    lock = new BetterSqlite3(path, { readonly: true, fileMustExist: true, timeout: 0 })
    return { held: false, mirrorMade: lock.pragma('user_version', { simple: true }) === 1 }
  } catch (error) {
    const isBusy = codeOf(error).startsWith('SQLITE_BUSY')
    return { held: isBusy ? true : null, mirrorMade: null }
  } finally {
    lock?.close()
  }
}

/** Linux lists `1: POSIX  ADVISORY  WRITE <pid> <device>:<inode> …`; some file systems report another device here. */
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

/** Resolves symbolic links, even before the file exists, so that a database has one lock and one log. */
export function realFile(path: string): string {
  const file = resolve(path)
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return realpathSync(file)
  const folder = dirname(file)
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    return realFile(resolve(realpathSync(folder), readlinkSync(file)))
  return folder === file ? file : join(realFile(folder), basename(file))
}

/** @throws FatalError when the file has hard links: each name would get its own lock and log. */
export function insistOnOneName(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined || !stats.isFile() || stats.nlink < 2) return
  throw new FatalError(
    `The database ${file} has ${stats.nlink} names (hard links), each of which would get a lock and a log of its own; remove the others, or make them copies with "tenantwatch backup"`,
  )
}
