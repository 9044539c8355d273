/** Shape of the rows that a statement returns: objects, arrays, or the values of the only column. */
export type RowMode = 'arrays' | 'objects' | 'values'

/**
 * Runs one statement of a transaction. Parameters are `?`, or `@name` for the members of an object that is the last of
 * `params`. Times and other numbers are whole numbers, blobs are Buffers.
 */
export type Sql = <Row>(text: string, params?: readonly unknown[], mode?: RowMode) => Promise<Row[]>

/**
 * A database. `work` awaits nothing but its `sql`, because other transactions wait for it, and turns of the event loop
 * between the parts of a large one. It may run several times, from its beginning, if the database has to repeat a
 * transaction.
 *
 * @throws SyncError `store` for an error of the database; other errors of `work` unchanged.
 */
export interface Db {
  /** SQL in which the databases differ. */
  readonly dialect: Dialect
  /** All statements see the same committed state of the database. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** One transaction: stored as a whole, and durable, or not at all. */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** By table, the id up to which all rows are committed; null = unknown, because others are writing. */
  settledIds(tables: readonly string[]): Promise<readonly number[] | null>
}

export type Stored = null | number | string

declare const list: unique symbol

/** Values bound as one parameter. */
export interface List {
  readonly [list]: true
}

/** Rows of a table of records, whose key is unique within a tenant. */
export interface KeyedRows {
  readonly columns: readonly string[]
  readonly table: string
  readonly key: string
}

export interface Dialect {
  /** Statement that reads the rows of a tenant (`@tenantId`) with the keys bound as `listOf` (`@keys`). */
  selectByKeys(rows: KeyedRows): string
  /** Condition that `column` is in the values bound as `listOf`. */
  isIn(column: string): string
  listOf(values: readonly Stored[]): List
  /** Text after a table in `from`, to use an index. */
  indexedBy(index: string): string
  /** Converts a text of decimal digits to a whole number; other texts give any number or null. */
  integerOf(text: string): string
  /** Left side of `like` with a pattern in lower case, which matches letters of either case. */
  forLike(column: string): string
  /** Pattern for letters whose case `like` does not ignore. */
  readonly pattern: Pattern
  jsonArray(values: readonly string[]): string
  /** Member of an array by index, or of an object by name. Some databases need the type, or return text. */
  jsonMember(json: string, member: number | string, type: 'integer' | 'text'): string
  jsonWith(json: string, member: string, text: string): string
  /** Rows of `columns` parameters each, for `values` and `in`. */
  rowsOf(rows: number, columns: number): string
  /** Inserts new records of one table, with these columns. */
  recordInserts(table: string, columns: readonly string[]): RecordInserts
}

export interface InsertStamp {
  readonly tenantId: number
  readonly at: number
  readonly requestId: string | null
}

export interface RecordInserts {
  /** A row is the values of the columns. Returns the ids of the new rows, in the same order. */
  insert(sql: Sql, rows: readonly (readonly Stored[])[], stamp: InsertStamp): Promise<readonly number[]>
}

export interface Pattern {
  readonly operator: string
  /** Patterns, one of which matches these consecutive letters, each in one of its cases; no case = any letter. */
  of(letters: readonly (readonly string[])[]): readonly string[]
}

export interface TenantKeys {
  readonly tenantId: number
  readonly keys: List
}
