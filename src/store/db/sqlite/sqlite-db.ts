import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type BetterSqlite3 from 'better-sqlite3'
import { SyncError } from '../../../model/errors.ts'
import type { Db, RowMode, Sql } from '../db.ts'
import { sqliteDialect } from './dialect.ts'
import { codeOf, storeError } from './store-error.ts'

/** Reads in a row after which the event loop gets a turn; a write always waits for one, because it waits for the disk. */
const readsPerTurn = 20

/** A write waits a second for a program that locks the database. */
const lockedTries = 20
const lockedDelayMs = 50

export interface Connections {
  /** Writes; one transaction at a time. */
  readonly writer: BetterSqlite3.Database
  /** Only reads: sees the last commit while `writer` has a transaction open. */
  readonly reader: BetterSqlite3.Database
  /** Called with each error of SQLite, before it is converted. */
  readonly onError?: (error: unknown) => void
}

/** SQLite through two connections of one process. Statements are synchronous; their promises keep `Db` one interface. */
export class SqliteDb implements Db {
  readonly dialect = sqliteDialect
  readonly #writer: Connection
  readonly #reader: Connection
  readonly #onError: (error: unknown) => void
  #reads = 0

  constructor({ writer, reader, onError = () => {} }: Connections) {
    this.#writer = new Connection(writer)
    this.#reader = new Connection(reader)
    this.#onError = onError
  }

  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#converted(async () => {
      if (++this.#reads % readsPerTurn === 0) await nextTurn()
      return this.#reader.transaction('begin', work)
    })
  }

  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#converted(() => this.#writer.transaction('begin immediate', work))
  }

  /** Resolves when the transactions in progress have ended. Then the connections can be closed. */
  async idle(): Promise<void> {
    await Promise.all([this.#reader.idle, this.#writer.idle])
  }

  async #converted<T>(operation: () => Promise<T>): Promise<T> {
    try {
      return await operation()
    } catch (error) {
      this.#onError(error)
      if (this.#writer.isOpen) throw storeError(error)
      throw new SyncError('store', 'The mirror is closed', { cause: error })
    }
  }
}

/** A connection whose transactions run one after the other. */
class Connection {
  readonly #raw: BetterSqlite3.Database
  readonly #statements = new Map<string, BetterSqlite3.Statement<unknown[], unknown>>()
  #last: Promise<unknown> = Promise.resolve()
  #triesLeft = lockedTries

  constructor(raw: BetterSqlite3.Database) {
    this.#raw = raw
    // SQLite would wait within the statement, which blocks this process, signals included.
    raw.pragma('busy_timeout = 0')
  }

  get isOpen(): boolean {
    return this.#raw.open
  }

  transaction<T>(begin: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => {
      await this.#begin(begin)
      try {
        const result = await work(this.#sql)
        this.#raw.exec('commit')
        return result
      } catch (error) {
        // SQLite ends the transaction itself after some errors, such as a full disk.
        if (this.#raw.inTransaction) this.#raw.exec('rollback')
        throw error
      }
    })
    this.#last = done.catch(() => {}).then(begin === 'begin' ? undefined : () => nextTurn())
    return done
  }

  /** After a write that waited in vain, the next ones fail at once until the lock is gone, so that waits do not add up. */
  async #begin(begin: string): Promise<void> {
    for (;;) {
      try {
        this.#raw.exec(begin)
        this.#triesLeft = lockedTries
        return
      } catch (error) {
        if (!codeOf(error).startsWith('SQLITE_BUSY') || this.#triesLeft === 0) throw error
      }
      this.#triesLeft--
      await delay(lockedDelayMs)
    }
  }

  get idle(): Promise<unknown> {
    return this.#last
  }

  readonly #sql: Sql = async <Row>(text: string, params: readonly unknown[] = [], mode: RowMode = 'objects') => {
    const statement = this.#statementOf(text, mode)
    if (statement.reader) return statement.all(...params) as Row[]
    statement.run(...params)
    return []
  }

  #statementOf(text: string, mode: RowMode): BetterSqlite3.Statement<unknown[], unknown> {
    const key = `${mode} ${text}`
    const known = this.#statements.get(key)
    if (known !== undefined) return known
    const statement = this.#raw.prepare<unknown[], unknown>(text)
    if (mode === 'arrays' && statement.reader) statement.raw()
    if (mode === 'values') statement.pluck()
    this.#statements.set(key, statement)
    return statement
  }
}
