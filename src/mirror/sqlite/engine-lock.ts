import BetterSqlite3 from 'better-sqlite3'
import { FatalError } from '../../model/errors.ts'

/** How long one that asks in the same instant as others waits for them to sort it out. Milliseconds. */
const contentionMs = 500

/** The engine's lock on a database. */
export interface EngineLock extends Disposable {
  /** True when a mirror was made here before: one that is gone or empty by now must not be taken for new. */
  readonly mirrorMade: boolean
  noteMirrorMade(): void
}

/**
 * Takes the engine's lock on a database: an exclusive transaction on a file beside it, which the operating system
 * gives back even after SIGKILL. The same file remembers that a mirror was made.
 *
 * @throws FatalError at once when another engine holds it.
 */
export function takeEngineLock(storePath: string): EngineLock {
  const path = `${storePath}-lock`
  const lock = new BetterSqlite3(path, { timeout: contentionMs })
  try {
    // A journal on disk would be one more file beside the database, for a single page that is written once.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('begin exclusive')
    // Only now, with the lock in hand: in this mode one that waits would keep its shared lock, and all would be refused.
    lock.pragma('locking_mode = EXCLUSIVE')
    return {
      mirrorMade: lock.pragma('user_version', { simple: true }) === 1,
      noteMirrorMade() {
        lock.pragma('user_version = 1')
        // The lock itself stays: in exclusive locking mode only closing gives it back.
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
