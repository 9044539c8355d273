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

export const sqliteDialect: Dialect = {
  recordsByKeys: (columns, condition = 'true') =>
    `select ${columns} from records
     where tenant_id = @tenantId and resource = @resource and key in (select value from json_each(@keys)) and ${condition}`,
  isIn: (column, list = '?') => `${column} in (select value from json_each(${list}))`,
  jsonMember: (json, name) => `${json} ->> '${name}'`,
  givenRows(columns) {
    const values = Object.keys(columns).map((name, i) => `value ->> ${i} as "${name}"`)
    return `(select key as n, ${values.join(', ')} from json_each(@rows)) as given`
  },
  bindRows(columns, rows) {
    const names = Object.keys(columns)
    return { rows: rows.map((row) => names.map((name) => Reflect.get(row, name) ?? null)) }
  },
}

/** What a lone surrogate or U+0000, which `json` does not give out, is escaped as. */
const unreadable = 'u(0000|d[89a-f][0-9a-f][0-9a-f])'

/** JSON of a text column of PostgreSQL, with U+FFFD for what `json` does not give out. */
export function readableJson(text: string): string {
  // Only an escape after an even number of backslashes is one.
  return `(case when ${text} ~ '\\\\${unreadable}' then regexp_replace(${text},
    '(?<!\\\\)((?:\\\\\\\\)*)\\\\${unreadable}', '\\1\\\\ufffd', 'g') else ${text} end)::json`
}

export const postgresDialect: Dialect = {
  // With `= any`, a plan from when the table was small would read all rows of the tenant for each page.
  recordsByKeys: (columns, condition = 'true') =>
    `select ${columns} from unnest(@keys::text[]) as given (wanted) cross join lateral
       (select * from records where tenant_id = @tenantId and resource = @resource and key = wanted limit 1) as known
     where ${condition}`,
  isIn: (column, list = '?') => `${column} = any(${list})`,
  jsonMember: (json, name) => `(${readableJson(json)} ->> '${name}')`,
  givenRows(columns) {
    const names = Object.keys(columns)
    const lists = names.map((name) => `@${name}::${columns[name] === 'integer' ? 'bigint' : 'text'}[]`)
    return `unnest(${lists.join(', ')}) with ordinality as given (${names.map((name) => `"${name}"`).join(', ')}, n)`
  },
  bindRows: (columns, rows) =>
    Object.fromEntries(Object.keys(columns).map((name) => [name, rows.map((row) => Reflect.get(row, name) ?? null)])),
}
