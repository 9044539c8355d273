import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { SyncError } from '../../model/errors.ts'
import type { BusyTimeout } from './busy-timeout.ts'
import type { Connection } from './connection.ts'

/** The open database: the driver for prepared hot paths, drizzle for the rest. */
export interface Database {
  readonly raw: Connection
  readonly orm: BetterSQLite3Database
  /** Of an engine, which has other things to do than to wait. */
  readonly busyTimeout?: BusyTimeout
}

/** Runs `body` as one transaction that takes the write lock at once; SQLite's failures become reason `store`. */
export function transact<T>(database: Database, body: () => T): T {
  try {
    const result = database.raw.atOnce(body)
    database.busyTimeout?.regain()
    return result
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') database.busyTimeout?.lose()
    throw storeError(error)
  }
}

/**
 * As `transact`, for a body that notes progress only: it is written at once, as a kill demands, but not yet forced to the
 * disk. A power cut can lose the last such notes; the next `transact` forces them with its own.
 */
export function transactProgress<T>(database: Database, body: () => T): T {
  database.raw.exec('pragma synchronous = NORMAL')
  try {
    return transact(database, body)
  } finally {
    database.raw.exec('pragma synchronous = FULL')
  }
}

/** Whatever SQLite threw as an error of reason `store` that says what to do; anything else as it is. */
export function storeError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'SqliteError') return error
  const code = 'code' in error ? String(error.code) : 'SQLITE_ERROR'
  return new SyncError('store', `The mirror could not be written (${code})`, { cause: error, ...hintFor(code) })
}

/**
 * The same operations; what SQLite throws in them outside a transaction is reason `store`, too, also in the readers and
 * iterations that they give.
 *
 * @param note is told of every failure.
 */
export function withStoreErrors<T extends object>(
  database: Database,
  operations: T,
  note: (error: unknown) => void = () => {},
): T {
  const told = (error: unknown): unknown => {
    note(error)
    return database.raw.open ? storeError(error) : new SyncError('store', 'The mirror is closed', { cause: error })
  }
  const wrapped = (result: unknown): unknown => {
    if (result instanceof Promise) {
      return result.catch((error: unknown) => {
        throw told(error)
      })
    }
    if (typeof result !== 'object' || result === null) return result
    if (Symbol.asyncIterator in result) return iterated(result as AsyncIterable<unknown>, told)
    return withStoreErrors(database, result, note)
  }
  return new Proxy(operations, {
    get(target, name) {
      const operation: unknown = Reflect.get(target, name)
      if (typeof operation !== 'function') return operation
      return (...values: readonly unknown[]): unknown => wrapped(Reflect.apply(operation, target, values))
    },
  })
}

async function* iterated<T>(items: AsyncIterable<T>, told: (error: unknown) => unknown): AsyncIterable<T> {
  try {
    yield* items
  } catch (error) {
    throw told(error)
  }
}

function hintFor(code: string): { hint?: string } {
  if (code.startsWith('SQLITE_FULL')) return { hint: 'Free space on the volume of store.path; nothing was lost' }
  if (code.startsWith('SQLITE_BUSY')) return { hint: 'Another program holds the database; close it' }
  if (code.startsWith('SQLITE_READONLY')) return { hint: 'Make store.path and its folder writable for this user' }
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB'))
    return { hint: 'The database file is damaged; restore a backup, or move it and its -lock file away to begin anew' }
  return {}
}
