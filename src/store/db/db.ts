/** Shape of the rows that a statement returns: objects, arrays, or the values of the only column. */
export type RowMode = 'arrays' | 'objects' | 'values'

/** A transaction. */
export interface Sql {
  /**
   * Runs one statement. Parameters are `?`, or `@name` for the members of an object that is the last of `params`; an array
   * is one parameter, a list for `isIn`. Times and other numbers are whole numbers, blobs are Buffers.
   */
  <Row>(text: string, params?: readonly unknown[], mode?: RowMode): Promise<Row[]>
  readonly dialect: Dialect
}

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
}

/**
 * For an operation that often has nothing to write: reads first, because a transaction waits for the disk, and decides
 * again inside the transaction, because others may have written since.
 *
 * @param due the change to write; null = none.
 */
export async function writeWhereDue(
  db: Db,
  due: (tx: Sql) => Promise<((tx: Sql) => Promise<unknown>) | null>,
): Promise<void> {
  if ((await db.read(due)) === null) return
  await db.write(async (tx) => {
    const write = await due(tx)
    if (write !== null) await write(tx)
  })
}

export interface Dialect {
  /** Statement that reads records of a resource (`@tenantId`, `@resource`) with keys of a list (`@keys`). */
  recordsByKeys(columns: string, condition?: string): string
  /** Condition that `column` is in a list. @param list its parameter, by default `?`. */
  isIn(column: string, list?: string): string
  /** Text of a member of an object. */
  jsonMember(json: string, name: string): string
  /** Rows bound by `bindRows`, for `from`: a table `given` with these columns, and `n` for their order. */
  givenRows(columns: GivenColumns): string
  /** Members of the object that is the last parameter. */
  bindRows(columns: GivenColumns, rows: readonly object[]): object
}

export type GivenColumns = Readonly<Record<string, 'integer' | 'text'>>
