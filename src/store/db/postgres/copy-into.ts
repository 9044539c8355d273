import { FatalError } from '../../../model/errors.ts'
import { inParts } from '../../../model/in-turns.ts'
import {
  type CopiedRows,
  type CopiedTable,
  type CopyOptions,
  copiedTables,
  quoted,
  type Row,
  RowsDigest,
} from '../../copy.ts'
import type { Db, Sql } from '../db.ts'

/** Rows of a table that are written, or read back, at a time. */
const rowsPerBatch = 200

/**
 * Copies a mirror into an empty database and compares both sides (docs/postgresql.md#moving-over), as a whole or not at
 * all.
 *
 * @throws the signal's reason when aborted, FatalError when the database is not empty or a table differs.
 */
export function copyInto(db: Db, options: CopyOptions): Promise<readonly CopiedRows[]> {
  return db.write(async (sql) => {
    await assertEmpty(sql)
    const copied = new Map<CopiedTable, RowsDigest>()
    for (const table of copiedTables) copied.set(table, await copyTable(sql, table, options))
    const differing: string[] = []
    for (const [table, digest] of copied) {
      options.signal.throwIfAborted()
      if (!digest.isSame(await digestOf(sql, table))) differing.push(table.name)
    }
    if (differing.length > 0)
      throw new FatalError(`The copy differs from the file in ${differing.join(', ')}; nothing was stored`)
    return [...copied].map(([{ name }, { rows }]) => ({ table: name, rows }))
  })
}

const firstFilled = `select name from (${copiedTables
  .map(({ name }) => `select '${name}' as name where exists (select 1 from "${name}")`)
  .join(' union all ')}) filled order by name limit 1`

async function assertEmpty(sql: Sql): Promise<void> {
  const [filled] = await sql<string>(firstFilled, [], 'values')
  if (filled === undefined) return
  throw new FatalError(
    `The database of store.url is not empty: its table ${filled} has rows; set store.url to an empty database, because a copy is never mixed with other data`,
  )
}

/** @returns digest of the rows of the source. */
async function copyTable(sql: Sql, table: CopiedTable, { source, signal }: CopyOptions): Promise<RowsDigest> {
  const { name, columns, types } = table
  const lists = types.map((type) => `?::${postgresTypes[type] ?? type}[]`)
  const insert = `insert into "${name}" (${quoted(columns)}) select * from unnest(${lists.join(', ')})`
  const digest = new RowsDigest()
  for (const batch of inParts(source.rows(table), rowsPerBatch)) {
    signal.throwIfAborted()
    for (const row of batch) digest.add(row)
    const values = columns.map((_, at) => batch.map((row) => row[at]))
    await sql(insert, values)
  }
  await raiseSequence(sql, table)
  await sql(`analyze "${name}"`)
  return digest
}

const postgresTypes: Readonly<Record<string, string>> = { blob: 'bytea', integer: 'bigint' }

/** New rows get ids after the copied ones. */
async function raiseSequence(sql: Sql, { name, columns, types, key: [id = '', ...more] }: CopiedTable): Promise<void> {
  if (more.length > 0 || types[columns.indexOf(id)] !== 'integer') return
  const sequence = `pg_get_serial_sequence('"${name}"', '${id}')::regclass`
  await sql(`select setval(${sequence}, max("${id}")) from "${name}" having max("${id}") > 0`)
}

/** Reads the rows of the copy back. */
async function digestOf(sql: Sql, { name, columns }: CopiedTable): Promise<RowsDigest> {
  const digest = new RowsDigest()
  await sql(`declare "copied_${name}" no scroll cursor for select ${quoted(columns)} from "${name}"`)
  for (;;) {
    const rows = await sql<Row>(`fetch ${rowsPerBatch} from "copied_${name}"`, [], 'arrays')
    if (rows.length === 0) return digest
    for (const row of rows) digest.add(row)
  }
}
