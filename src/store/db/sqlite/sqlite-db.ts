import { setImmediate as nextTurn } from 'node:timers/promises'
import { Mutex } from 'async-mutex'
import type BetterSqlite3 from 'better-sqlite3'
import { SyncError } from '../../../model/errors.ts'
import type { Db, RowMode, Sql } from '../db.ts'
import { assertInPlace, type OpenFiles, openFilesOf } from './database-file.ts'
import { sqliteDialect } from './dialect.ts'
import type { OpenedFile } from './open.ts'
import { codeOf, damaged, isDamage, storeError } from './store-error.ts'

/** SQLite through two connections of one process. Statements are synchronous; their promises keep `Db` one interface. */
export class SqliteDb implements Db {
  readonly dialect = sqliteDialect
  readonly #opened: OpenedFile
  readonly #files: OpenFiles
  readonly #writer: Connection
  readonly #reader: Connection
  /** Code of the damage that a statement found. */
  #damage: string | null = null

  constructor(opened: OpenedFile) {
    this.#opened = opened
    this.#files = openFilesOf(opened.file)
    this.#writer = new Connection(opened.writer)
    this.#reader = new Connection(opened.reader)
  }

  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#converted(this.#reader.transaction('begin', work))
  }

  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#converted(this.#writer.transaction('begin immediate', work))
  }

  /** @throws FatalError when a file of the database was lost or replaced, or a statement found damage. */
  assertUsable(): void {
    const { file } = this.#opened
    assertInPlace(file, this.#files)
    if (this.#damage !== null) throw damaged(file, this.#damage)
  }

  /** Closes the connections after the transactions in progress. */
  async close(): Promise<void> {
    await Promise.all([this.#reader.idle(), this.#writer.idle()])
    this.#opened[Symbol.dispose]()
  }

  async #converted<T>(result: Promise<T>): Promise<T> {
    try {
      return await result
    } catch (error) {
      if (!this.#opened.writer.open) throw new SyncError('store', 'The mirror is closed', { cause: error })
      const code = codeOf(error)
      if (isDamage(code)) this.#damage ??= code
      throw storeError(error)
    }
  }
}

/** A connection whose transactions run one after the other. */
class Connection {
  readonly #raw: BetterSqlite3.Database
  readonly #statements = new Map<string, BetterSqlite3.Statement<unknown[], unknown>>()
  readonly #mutex = new Mutex()

  constructor(raw: BetterSqlite3.Database) {
    this.#raw = raw
  }

  transaction<T>(begin: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(async () => {
      // Statements are synchronous, so transactions in a row would keep the event loop from everything else.
      await nextTurn()
      this.#raw.exec(begin)
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
  }

  idle(): Promise<void> {
    return this.#mutex.runExclusive(() => {})
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
