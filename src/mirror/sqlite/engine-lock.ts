import BetterSqlite3 from 'better-sqlite3'
import { FatalError } from '../../model/errors.ts'

/** Milliseconds to wait when several engines start at the same instant. */
const contentionMs = 500

export interface EngineLock extends Disposable {
  /** True when a mirror was made here before: one that is missing or empty is then not new. */
  readonly mirrorMade: boolean
  noteMirrorMade(): void
}

/** @throws FatalError when another engine has the lock; the operating system releases it even after SIGKILL. */
export function takeEngineLock(storePath: string): EngineLock {
  const path = `${storePath}-lock`
  const lock = new BetterSqlite3(path, { timeout: contentionMs })
  try {
    // Avoids a journal file for a page that is written once.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('begin exclusive')
    // Only with the lock: in this mode a waiting engine would keep its shared lock, and all would fail.
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
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('SQLITE_BUSY')) {
      throw new FatalError(
        `Another tenantwatch engine (run, sync or demo) is working on ${storePath}; stop it first or give this one another store.path`,
        { cause: error },
      )
    }
    if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
      throw new FatalError(`The lock file ${path} is damaged; delete it and start again`, { cause: error })
    throw error
  }
}
