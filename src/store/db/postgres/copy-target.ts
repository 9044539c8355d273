import { FatalError } from '../../../model/errors.ts'
import { type Contents, ContentsSum, type Row } from '../../copy/contents.ts'
import { type CopiedTable, copiedTables } from '../../copy/copied-tables.ts'
import { type CopiedRows, type CopyOptions, type CopyTarget, copyMirror } from '../../copy/copy-mirror.ts'
import { sqlTypeOf } from '../../postgres/schema.ts'
import type { Db, Sql } from '../db.ts'

/** Blocks of a table that one statement reads, which are some hundred rows. */
const blocksPerRead = 32

/** Copies into an empty database, as a whole or not at all. @throws like `copyMirror`. */
export function copyInto(db: Db, options: Omit<CopyOptions, 'target'>): Promise<readonly CopiedRows[]> {
  return db.write(async (sql) => {
    await assertEmpty(sql)
    // The effects of triggers are copied, too.
    for (const { name } of copiedTables) await sql(`alter table "${name}" disable trigger user`)
    const rows = await copyMirror({ ...options, target: targetOver(sql) })
    for (const { name } of copiedTables) await sql(`alter table "${name}" enable trigger user`)
    for (const { name } of copiedTables) await sql(`analyze "${name}"`)
    for (const text of raiseSequences()) await sql(text)
    return rows
  })
}

const firstFilled = `select name from (${copiedTables
  .map(({ name }) => `select '${name}' as name where exists (select 1 from "${name}")`)
  .join(' union all ')}) filled order by name limit 1`

/** @throws FatalError when a table of the mirror has rows. */
async function assertEmpty(sql: Sql): Promise<void> {
  const [filled] = await sql<string>(firstFilled, [], 'values')
  if (filled === undefined) return
  throw new FatalError(
    `The database of store.url is not empty: its table ${filled} has rows; set store.url to an empty database, because a copy is never mixed with other data`,
  )
}

function targetOver(sql: Sql): CopyTarget {
  return {
    async insert({ name, columns }, rows) {
      const lists = columns.map((column) => `?::${sqlTypeOf(name, column)}[]`)
      const text = `insert into "${name}" (${quoted(columns)}) select * from unnest(${lists.join(', ')})`
      const values = columns.map((_, at) => rows.map((row) => row[at]))
      await sql(text, values)
    },
    contents: (table) => contentsOf(sql, table),
  }
}

/** Reads rows by their position in the table, because texts with escapes sort differently than in SQLite. */
async function contentsOf(sql: Sql, { name, columns }: CopiedTable): Promise<Contents> {
  const size = `select pg_relation_size('"${name}"') / current_setting('block_size')::int`
  const read = `select ${quoted(columns)} from "${name}" where ctid >= cast(? as tid) and ctid < cast(? as tid)`
  const sum = new ContentsSum()
  const [blocks = 0] = await sql<number>(size, [], 'values')
  for (let block = 0; block < blocks; block += blocksPerRead) {
    const rows = await sql<Row>(read, [`(${block},0)`, `(${block + blocksPerRead},0)`], 'arrays')
    for (const row of rows) sum.add(row)
  }
  return sum.contents
}

/** Statements that raise the sequences: new rows must get ids after the copied ones. */
function raiseSequences(): readonly string[] {
  // The only row of `retention` is written with its id.
  return copiedTables.flatMap(({ name, key: [id = '', ...more] }) => {
    if (more.length > 0 || name === 'retention' || sqlTypeOf(name, id) !== 'bigint') return []
    return [
      `select setval(pg_get_serial_sequence('"${name}"', '${id}')::regclass, max(${id})) from "${name}" having max(${id}) > 0`,
    ]
  })
}

function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(', ')
}
