import type BetterSqlite3 from 'better-sqlite3'
import { SyncError } from '../../model/errors.ts'
import { BaseDatabase } from '../base-database.ts'
import type { Changes, Ran, RecordInserts } from '../database.ts'
import { codeOf, storeError } from '../db/sqlite/store-error.ts'
import type { Statement, Step } from '../steps.ts'
import { atOnceOn, type BusyTimeout, stablePlan } from './connection.ts'
import { recordInserts } from './record-inserts.ts'
import { drive, SqliteStatement } from './statement.ts'
import type { TransactionLimiter } from './transaction-limiter.ts'
import { words } from './words.ts'

export interface DatabaseOptions {
  readonly busyTimeout?: BusyTimeout
  readonly onError?: (error: unknown) => void
  /** Absent = transactions never wait. */
  readonly limiter?: TransactionLimiter
}

export class SqliteDatabase extends BaseDatabase {
  readonly sql = words
  readonly raw: BetterSqlite3.Database
  readonly #atOnce: <T>(body: () => T) => T
  readonly #options: DatabaseOptions

  constructor(raw: BetterSqlite3.Database, options: DatabaseOptions = {}) {
    super()
    this.raw = raw
    this.#atOnce = atOnceOn(raw)
    this.#options = options
  }

  prepare<Bind extends readonly unknown[] = readonly unknown[], Row = unknown>(text: string): Statement<Bind, Row> {
    return new SqliteStatement(this.raw.prepare(stablePlan(text)))
  }

  prepareRows<Bind extends readonly unknown[], Row extends readonly unknown[]>(text: string): Statement<Bind, Row> {
    const statement = this.raw.prepare(stablePlan(text))
    return new SqliteStatement(statement.reader ? statement.raw() : statement)
  }

  prepareValues<Bind extends readonly unknown[], Value>(text: string): Statement<Bind, Value> {
    return new SqliteStatement(this.raw.prepare(stablePlan(text)).pluck())
  }

  recordInserts(table: string, columns: readonly string[]): RecordInserts {
    return recordInserts(this.raw, table, columns)
  }

  read<T>(body: () => Step<T>): Ran<Promise<T>> {
    return this.run(() => drive(body()))
  }

  writeProgress<T>(body: () => Step<T>): Ran<Promise<T>> {
    return this.run(() =>
      this.#inTurn(() => {
        this.raw.exec('pragma synchronous = NORMAL')
        try {
          return this.#transactNow('nothing', body)
        } finally {
          this.raw.exec('pragma synchronous = FULL')
        }
      }),
    )
  }

  transact<T>(changes: Changes, body: () => Step<T>): Promise<T> {
    return this.#inTurn(() => this.#transactNow(changes, body))
  }

  /** Runs a transaction now or, if this turn of the event loop had enough of them, in a later one. */
  async #inTurn<T>(body: () => T): Promise<T> {
    const { limiter } = this.#options
    for (let later = limiter?.later(); later; later = limiter?.later()) await later
    return body()
  }

  #transactNow<T>(changes: Changes, body: () => Step<T>): T {
    const { busyTimeout } = this.#options
    try {
      const result = this.#atOnce(() => drive(body()))
      busyTimeout?.regain()
      return result
    } catch (error) {
      if (codeOf(error) === 'SQLITE_BUSY') busyTimeout?.lose()
      throw error
    } finally {
      this.versions.note(changes)
    }
  }

  protected override errorOf(error: unknown): unknown {
    this.#options.onError?.(error)
    return this.raw.open ? storeError(error) : new SyncError('store', 'The mirror is closed', { cause: error })
  }
}
