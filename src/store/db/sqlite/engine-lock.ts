import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { EngineRunning, FatalError } from '../../../model/errors.ts'
import { codeOf } from './store-error.ts'

const contentionMs = 500

export interface EngineLock extends Disposable {
  /** True if a mirror was created here before, so that a missing or empty one was lost. */
  readonly mirrorMade: boolean
  recordMirrorMade(): void
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
      mirrorMade: isMirrorMade(lock),
      recordMirrorMade() {
        lock.pragma('user_version = 1')
        // The lock stays: in exclusive locking mode only closing releases it.
        lock.exec('commit')
      },
      [Symbol.dispose]: () => void lock.close(),
    }
  } catch (error) {
    lock.close()
    throw lockError(error, storePath)
  }
}

function lockError(error: unknown, storePath: string): unknown {
  const code = codeOf(error)
  if (code.startsWith('SQLITE_BUSY')) {
    const message = `Another tenantwatch engine (run, sync or demo) is working on ${storePath}; stop it first`
    return new EngineRunning(message, { cause: error })
  }
  if (code !== 'SQLITE_NOTADB' && !code.startsWith('SQLITE_CORRUPT')) return error
  return new FatalError(`The lock file ${storePath}-lock is damaged; delete it and start again`, { cause: error })
}

function isMirrorMade(lock: BetterSqlite3.Database): boolean {
  return lock.pragma('user_version', { simple: true }) === 1
}

export interface LockState {
  /** Null when unknown, as without permission to read the lock. */
  readonly held: boolean | null
  readonly mirrorMade: boolean | null
}

/** Does not wait for the lock or prevent an engine from starting. */
export function lockStateOf(storePath: string): LockState {
  let lock: BetterSqlite3.Database | undefined
  try {
    const path = `${realFile(storePath)}-lock`
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return { held: false, mirrorMade: false }
    lock = new BetterSqlite3(path, { readonly: true, fileMustExist: true, timeout: 0 })
    return { held: false, mirrorMade: isMirrorMade(lock) }
  } catch (error) {
    // While an engine has its exclusive lock, nobody else can read the file.
    return { held: codeOf(error).startsWith('SQLITE_BUSY') ? true : null, mirrorMade: null }
  } finally {
    lock?.close()
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

/** @throws FatalError for a folder, or a file with hard links: each name would get its own lock and log. */
export function assertFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isDirectory()) throw new FatalError(`${file} is a folder; name a file in it, as in store.path`)
  if (stats?.isFile() && stats.nlink > 1)
    throw new FatalError(
      `The database ${file} has ${stats.nlink} names (hard links), each with a lock and a log of its own; remove the others`,
    )
}
