import BetterSqlite3 from 'better-sqlite3'
import { overRecords } from '../support/record-tables.ts'

/** Reads the database file beside the process that works on it, while one does. */
export class SideReader {
  #database: BetterSqlite3.Database | null = null
  readonly #statements = new Map<string, BetterSqlite3.Statement>()

  open(path: string): void {
    this.#database = new BetterSqlite3(path)
  }

  query(sql: string, ...values: unknown[]): Record<string, unknown>[] {
    const statement = this.#statements.get(sql) ?? this.#database?.prepare(overRecords(sql))
    if (statement === undefined) return []
    this.#statements.set(sql, statement)
    return statement.all(...values) as Record<string, unknown>[]
  }

  close(): void {
    this.#statements.clear()
    this.#database?.close()
    this.#database = null
  }
}
