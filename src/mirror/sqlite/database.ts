import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { SyncError } from '../../model/errors.ts'
import type { BusyTimeout } from './busy-timeout.ts'
import type { Connection } from './connection.ts'
import { type Change, Versions } from './versions.ts'

declare const ran: unique symbol

/** The result of an operation that `Database` ran. */
export type Ran<Result> = Result & { readonly [ran]: true }

/** A part of the mirror each of whose operations runs through `Database`: one that does not is no such part. */
export type Operations<Part> = {
  readonly [Name in keyof Part]: Part[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => OperationResult<Result>
    : Part[Name]
}

/** What gives its results in one piece or item by item is an operation; a reader consists of operations. */
type OperationResult<Result> = Result extends Promise<unknown> | AsyncIterable<unknown>
  ? Ran<Result>
  : Result extends object
    ? Operations<Result>
    : Result

export interface DatabaseOptions {
  /** Of an engine, whose event loop must not wait long for a lock that another process holds. */
  readonly busyTimeout?: BusyTimeout
  /** Called with every error of an operation. */
  readonly onError?: (error: unknown) => void
}

/**
 * The open database: the driver for prepared hot paths, drizzle for the rest. Every operation of the mirror runs through
 * `run`, `write`, `writeProgress` or `each`, which make SQLite's errors those of reason `store`.
 */
export class Database {
  readonly raw: Connection
  readonly orm: BetterSQLite3Database
  readonly versions = new Versions()
  readonly #options: DatabaseOptions

  constructor(raw: Connection, options: DatabaseOptions = {}) {
    this.raw = raw
    this.orm = drizzle(raw)
    this.#options = options
  }

  /** Runs an operation, which writes by `transact` only. */
  run<T>(operation: () => T | Promise<T>): Ran<Promise<T>> {
    const running = async () => {
      try {
        return await operation()
      } catch (error) {
        throw this.#errorOf(error)
      }
    }
    return running() as Ran<Promise<T>>
  }

  /** Runs an operation that is one transaction. */
  write<T>(change: Change, body: () => T): Ran<Promise<T>> {
    return this.run(() => this.transact(change, body))
  }

  /**
   * As `write`, for a body that notes progress only: it is written at once, as a kill demands, but not yet forced to the
   * disk. A power cut can lose the last such notes; the next transaction forces them with its own.
   */
  writeProgress<T>(body: () => T): Ran<Promise<T>> {
    return this.run(() => {
      this.raw.exec('pragma synchronous = NORMAL')
      try {
        return this.transact('nothing', body)
      } finally {
        this.raw.exec('pragma synchronous = FULL')
      }
    })
  }

  /** Runs an operation that reads item by item. */
  each<T>(items: AsyncIterable<T>): Ran<AsyncIterable<T>> {
    const errorOf = (error: unknown) => this.#errorOf(error)
    async function* reading() {
      try {
        yield* items
      } catch (error) {
        throw errorOf(error)
      }
    }
    return reading() as AsyncIterable<T> as Ran<AsyncIterable<T>>
  }

  /**
   * One transaction of an operation; it takes the write lock at once.
   *
   * @param change counts as made also where the body makes none or fails.
   */
  transact<T>(change: Change, body: () => T): T {
    const { busyTimeout } = this.#options
    try {
      const result = this.raw.atOnce(body)
      busyTimeout?.regain()
      return result
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') busyTimeout?.lose()
      throw error
    } finally {
      this.versions.note(change)
    }
  }

  #errorOf(error: unknown): unknown {
    this.#options.onError?.(error)
    return this.raw.open ? storeError(error) : new SyncError('store', 'The mirror is closed', { cause: error })
  }
}

/** An error of SQLite as one of reason `store` that names what to do; any other as it is. */
function storeError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'SqliteError') return error
  const code = 'code' in error ? String(error.code) : 'SQLITE_ERROR'
  return new SyncError('store', `The mirror could not be written (${code})`, { cause: error, ...hintFor(code) })
}

function hintFor(code: string): { hint?: string } {
  if (code.startsWith('SQLITE_FULL')) return { hint: 'Free space on the volume of store.path; nothing was lost' }
  if (code.startsWith('SQLITE_BUSY')) return { hint: 'Another program holds the database; close it' }
  if (code.startsWith('SQLITE_READONLY')) return { hint: 'Make store.path and its folder writable for this user' }
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB'))
    return { hint: 'The database file is damaged; restore a backup, or move it and its -lock file away to begin again' }
  return {}
}
