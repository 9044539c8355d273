import { hash } from 'node:crypto'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from './schema/index.ts'

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
  /** Of the columns, in SQLite: `blob`, `integer` or `text`. */
  readonly types: readonly string[]
  /** Columns of the primary key. */
  readonly key: readonly string[]
}

/** All tables of the mirror. Drivers have further ones, whose content is specific to a database. */
export const copiedTables: readonly CopiedTable[] = Object.values(schema)
  .map(copiedTable)
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))

function copiedTable(table: SQLiteTable): CopiedTable {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const keys = [...primaryKeys.flatMap((key) => key.columns), ...columns.filter(({ primary }) => primary)]
  return {
    name,
    columns: columns.map((column) => column.name),
    types: columns.map((column) => column.getSQLType()),
    key: keys.map((column) => column.name),
  }
}

/** List of columns in a statement. */
export function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(', ')
}

/** Values in the order of the columns, as a driver returns them. */
export type Row = readonly unknown[]

/** A mirror that does not change during the copy. */
interface CopySource {
  /** All rows in the order of the key. */
  rows(table: CopiedTable): Iterable<Row>
}

export interface CopyOptions {
  readonly source: CopySource
  readonly signal: AbortSignal
}

export interface CopiedRows {
  readonly table: string
  readonly rows: number
}

/** Sum of the digests of rows: databases sort texts with U+0000 differently. Rows have distinct keys. */
export class RowsDigest {
  rows = 0
  #sum = 0n

  add(row: Row): void {
    this.rows++
    this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${hash('sha256', JSON.stringify(row.map(canonical)))}`))
  }

  isSame(other: RowsDigest): boolean {
    return this.rows === other.rows && this.#sum === other.#sum
  }
}

/** Rounds numbers: SQLite keeps fractions of milliseconds, PostgreSQL rounds them. */
function canonical(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value)
  return Buffer.isBuffer(value) ? value.toString('base64') : value
}
