import { statSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { EngineRunning, FatalError } from '../../../model/errors.ts'
import { realFile } from './database-file.ts'
import { codeOf, isDamage } from './store-error.ts'

const contentionMs = 500

/** @throws FatalError when another engine has the lock; the operating system releases it even after SIGKILL. */
export function takeEngineLock(file: string) {
  const lock = new BetterSqlite3(`${file}-lock`, { timeout: contentionMs })
  try {
    // No journal file for a page that is written once.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('begin exclusive')
    // Only after the lock is taken: in this mode a waiting engine would keep its shared lock, and all would fail.
    lock.pragma('locking_mode = EXCLUSIVE')
    return {
      /** True if a mirror was created here before, so that a missing or empty one was lost. */
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
    throw lockError(error, file)
  }
}

function lockError(error: unknown, file: string): unknown {
  const code = codeOf(error)
  if (code.startsWith('SQLITE_BUSY')) {
    const message = `Another tenantwatch engine (run, sync or demo) is working on ${file}; stop it first`
    return new EngineRunning(message, { cause: error })
  }
  if (!isDamage(code)) return error
  return new FatalError(`The lock file ${file}-lock is damaged; delete it and start again`, { cause: error })
}

/** In the header of the lock file, because a crash cannot leave one page half written. */
function isMirrorMade(lock: BetterSqlite3.Database): boolean {
  return Number(lock.pragma('user_version', { simple: true })) > 0
}

interface LockState {
  /** Null when unknown, as without permission to read the lock. */
  readonly held: boolean | null
  readonly mirrorMade: boolean | null
  /** Null for a lock file that is not damaged. */
  readonly damage: string | null
}

/** Does not wait for the lock or prevent an engine from starting. */
export function lockStateOf(path: string): LockState {
  let lock: BetterSqlite3.Database | undefined
  try {
    const file = `${realFile(path)}-lock`
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return { held: false, mirrorMade: false, damage: null }
    lock = new BetterSqlite3(file, { readonly: true, fileMustExist: true, timeout: 0 })
    return { held: false, mirrorMade: isMirrorMade(lock), damage: null }
  } catch (error) {
    const problem = lockError(error, path)
    // While an engine has its exclusive lock, nobody else can read the file.
    const held = problem instanceof EngineRunning ? true : null
    return { held, mirrorMade: null, damage: held === null && problem instanceof FatalError ? problem.message : null }
  } finally {
    lock?.close()
  }
}
