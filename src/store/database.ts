import type { Db, Dialect, RowMode, Sql } from './db/db.ts'
import { type Builder, type Query, queryOf, type RowOf } from './orm.ts'
import { type Changes, ChangeVersions, type Versions } from './versions.ts'

/** A statement as text; each database prepares it once. */
export class Statement<Bind extends readonly unknown[], Row> {
  readonly #text: string
  readonly #mode: RowMode

  constructor(text: string, mode: RowMode) {
    this.#text = text
    this.#mode = mode
  }

  all(tx: Sql, ...bind: Bind): Promise<Row[]> {
    return tx<Row>(this.#text, bind, this.#mode)
  }

  async get(tx: Sql, ...bind: Bind): Promise<Row | undefined> {
    return (await this.all(tx, ...bind))[0]
  }

  async run(tx: Sql, ...bind: Bind): Promise<void> {
    await this.all(tx, ...bind)
  }
}

/** The database as stores see it. */
export class Database {
  readonly sql: Dialect
  readonly #versions = new ChangeVersions()
  readonly #db: Db

  constructor(db: Db) {
    this.#db = db
    this.sql = db.dialect
  }

  get versions(): Versions {
    return this.#versions
  }

  /** Rows are objects. */
  prepare<Bind extends readonly unknown[] = readonly unknown[], Row = unknown>(text: string): Statement<Bind, Row> {
    return new Statement(text, 'objects')
  }

  /** Rows are arrays. */
  prepareRows<Bind extends readonly unknown[], Row extends readonly unknown[]>(text: string): Statement<Bind, Row> {
    return new Statement(text, 'arrays')
  }

  /** Rows are the values of their only column. */
  prepareValues<Bind extends readonly unknown[], Value>(text: string): Statement<Bind, Value> {
    return new Statement(text, 'values')
  }

  /** SQL and row mapping by drizzle; placeholders are bound by name. */
  select<Result>(builder: Builder<Result>): Query<RowOf<Result>> {
    return queryOf(builder)
  }

  read<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    return this.#db.read(work)
  }

  /** One transaction. @param changes count as made; of a function, what it returns, without a result after an error. */
  async write<T>(changes: Changes | ((result?: T) => Changes), work: (tx: Sql) => Promise<T>): Promise<T> {
    let result: T | undefined
    try {
      result = await this.#db.write(work)
      return result
    } finally {
      this.#versions.note(typeof changes === 'function' ? changes(result) : changes)
    }
  }
}
