import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { SyncError } from '../../model/errors.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import { type BusyTimeout, type Connection, codeOf } from './connection.ts'

/** Records and findings that a transaction may change; `acceptances` = what waivers accept of findings. */
type Change =
  | 'acceptances'
  | 'everything'
  | 'nothing'
  | { readonly tenantId: number; readonly resource: ResourceName }
  | { readonly tenantId: number; readonly check: string }

/** Counters of changes, in memory: only the engine of this process writes records and findings. */
class Versions {
  readonly #ofOne = new Map<string, number>()
  #ofRecords = 0
  #ofFindings = 0

  ofRecords(tenantId: number, resource: ResourceName): number {
    return this.#ofRecords + (this.#ofOne.get(`${tenantId} resource ${resource}`) ?? 0)
  }

  ofFindings(tenantId: number, check: string): number {
    return this.#ofFindings + (this.#ofOne.get(`${tenantId} check ${check}`) ?? 0)
  }

  /** Call in the same turn of the event loop as the end of the transaction. */
  note(change: Change): void {
    if (change === 'nothing') return
    if (change === 'everything') this.#ofRecords++
    if (change === 'everything' || change === 'acceptances') this.#ofFindings++
    else {
      const kind = 'check' in change ? `check ${change.check}` : `resource ${change.resource}`
      const key = `${change.tenantId} ${kind}`
      this.#ofOne.set(key, (this.#ofOne.get(key) ?? 0) + 1)
    }
  }
}

declare const ran: unique symbol

export type Ran<Result> = Result & { readonly [ran]: true }

/** A part of the mirror all of whose operations run through `Database`, as the compiler checks. */
export type Operations<Part> = {
  readonly [Name in keyof Part]: Part[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => OperationResult<Result>
    : Part[Name]
}

type OperationResult<Result> = Result extends Promise<unknown> | AsyncIterable<unknown>
  ? Ran<Result>
  : Result extends object
    ? Operations<Result>
    : Result

export interface DatabaseOptions {
  readonly busyTimeout?: BusyTimeout
  readonly onError?: (error: unknown) => void
}

/** Operations run through `run`, `write`, `writeProgress` or `each`: they convert SQLite's errors to reason `store`. */
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

  /** The operation writes through `transact` only. */
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

  write<T>(change: Change, body: () => T): Ran<Promise<T>> {
    return this.run(() => this.transact(change, body))
  }

  /** Like `write`, for progress: it survives a kill, but a power cut can lose it until the next transaction. */
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

  /** @param change counts as made even when the body changes nothing or fails. */
  transact<T>(change: Change, body: () => T): T {
    const { busyTimeout } = this.#options
    try {
      const result = this.raw.atOnce(body)
      busyTimeout?.regain()
      return result
    } catch (error) {
      if (codeOf(error) === 'SQLITE_BUSY') busyTimeout?.lose()
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

function storeError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'SqliteError') return error
  const code = codeOf(error) || 'SQLITE_ERROR'
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
