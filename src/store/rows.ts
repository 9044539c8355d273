import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { SyncError } from '../model/errors.ts'
import { memoizeWeakly } from '../model/memoize.ts'
import { severities } from '../model/severity.ts'
import type { Sql } from './db/db.ts'

/** A stored JSON text. @throws SyncError with the reason `store` when the database is damaged. */
export function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SyncError('store', 'The database contains text that should be JSON and is not', {
      cause: error,
      hint: 'The database is damaged; restore a backup',
    })
  }
}

/** Flags are booleans; lists and objects are values, which are stored as JSON. */
export type RowOf<Table extends SQLiteTable> = Readonly<Table['$inferSelect']>

/** Fields to store; undefined ones keep their values. */
export type ChangeOf<Table extends SQLiteTable> = {
  readonly [Field in keyof Table['$inferInsert']]?: Table['$inferInsert'][Field] | undefined
}

function columnsOf(table: SQLiteTable): Readonly<Record<string, SQLiteColumn>> {
  return getTableColumns(table)
}

/** All columns of a table, for `select`, with the names of its fields. @param alias of the table in the statement. */
export function columnList(table: SQLiteTable, alias = getTableName(table)): string {
  const columns = Object.entries(columnsOf(table))
  return columns.map(([field, { name }]) => `${alias}."${name}" as "${field}"`).join(', ')
}

/** A row of which nothing but its key is known. */
export function defaultsOf<Table extends SQLiteTable>(table: Table): RowOf<Table> {
  const columns = Object.entries(columnsOf(table))
  return Object.fromEntries(columns.map(([field, column]) => [field, column.default ?? null])) as RowOf<Table>
}

const selectFrom = memoizeWeakly((table: SQLiteTable) => `select ${columnList(table)} from ${getTableName(table)}`)

/** Selects rows of a table. @param rest of the statement, after the name of the table. */
export async function selectRows<Table extends SQLiteTable>(
  sql: Sql,
  table: Table,
  rest: string,
  params: readonly unknown[] = [],
): Promise<readonly RowOf<Table>[]> {
  return (await sql<object>(`${selectFrom(table)} ${rest}`, params)).map((row) => rowOf(table, row))
}

/** Fields that are stored as another type. */
const convertedFields = memoizeWeakly((table: SQLiteTable) =>
  Object.entries(columnsOf(table)).filter(([, { dataType }]) => dataType === 'boolean' || dataType === 'json'),
)

/** @param stored a row with the columns of `columnList`; further ones stay as they are. */
export function rowOf<Table extends SQLiteTable, Stored extends object>(
  table: Table,
  stored: Stored,
): Omit<Stored, keyof RowOf<Table>> & RowOf<Table> {
  const row = { ...stored } as Record<string, unknown>
  for (const [field, { dataType }] of convertedFields(table)) {
    if (dataType === 'boolean') row[field] = row[field] === 1
    else if (row[field] !== null) row[field] = fromJson(String(row[field]))
  }
  return row as Omit<Stored, keyof RowOf<Table>> & RowOf<Table>
}

/** Columns and values of the fields that are not undefined. */
function changed(table: SQLiteTable, change: object) {
  const columns = columnsOf(table)
  const fields = Object.entries(change).filter(([, value]) => value !== undefined)
  return {
    names: fields.map(([field]) => `"${columns[field]?.name}"`),
    values: fields.map(([field, value]) => storedAs(columns[field], value)),
  }
}

function storedAs(column: SQLiteColumn | undefined, value: unknown): unknown {
  if (column?.dataType === 'boolean') return Number(value)
  return column?.dataType === 'json' && value !== null ? JSON.stringify(value) : value
}

/** @param rest of the statement, such as what to do on a conflict. */
export async function insertRow<Table extends SQLiteTable>(
  sql: Sql,
  table: Table,
  row: ChangeOf<Table>,
  rest = '',
): Promise<void> {
  const { names, values } = changed(table, row)
  const text = `insert into ${getTableName(table)} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`
  await sql(`${text} ${rest}`, values)
}

/**
 * Inserts rows with the same fields, of numbers and texts, in their order; values that are no columns are left out.
 *
 * @param rest of the statement; resolves with the first column that it returns.
 */
export function insertRows<Table extends SQLiteTable, Returned = never>(
  sql: Sql,
  table: Table,
  rows: readonly ChangeOf<Table>[],
  rest: string,
): Promise<Returned[]> {
  const columns = Object.entries(columnsOf(table)).filter(([field]) => field in (rows[0] ?? {}))
  const types = Object.fromEntries(
    columns.map(([field, { dataType }]) => [field, dataType === 'string' ? 'text' : 'integer'] as const),
  )
  const names = columns.map(([, { name }]) => `"${name}"`).join(', ')
  const fields = columns.map(([field]) => `"${field}"`).join(', ')
  const { givenRows, bindRows } = sql.dialect
  const text = `insert into ${getTableName(table)} (${names}) select ${fields} from ${givenRows(types)} where true order by n`
  return sql<Returned>(`${text} ${rest}`, [bindRows(types, rows)], 'values')
}

const primaryKeyOf = memoizeWeakly((table: SQLiteTable) => {
  const { primaryKeys, columns } = getTableConfig(table)
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  return key.map(({ name }) => `"${name}"`).join(', ')
})

/** Inserts a row, or changes these fields of the row with its primary key. @param added numbers that are added to the stored ones. */
export function upsertRow<Table extends SQLiteTable>(
  sql: Sql,
  table: Table,
  row: ChangeOf<Table>,
  added: ChangeOf<Table> = {},
): Promise<void> {
  const set = changed(table, row).names.map((name) => `${name} = excluded.${name}`)
  const add = changed(table, added).names.map((name) => `${name} = ${getTableName(table)}.${name} + excluded.${name}`)
  const change = `on conflict (${primaryKeyOf(table)}) do update set ${[...set, ...add].join(', ')}`
  return insertRow(sql, table, { ...row, ...added }, change)
}

/** Changes rows with a condition; returns how many. */
export async function updateRows<Table extends SQLiteTable>(
  sql: Sql,
  table: Table,
  change: ChangeOf<Table>,
  condition: string,
  params: readonly unknown[],
): Promise<number> {
  const { names, values } = changed(table, change)
  if (names.length === 0) return 0
  const set = names.map((name) => `${name} = ?`).join(', ')
  const text = `update ${getTableName(table)} set ${set} where ${condition} returning 1`
  return (await sql(text, [...values, ...params])).length
}

/** Expression for the severity of a finding, from 0 for the highest one; an index has the same. */
export const severityRank = `(case severity ${severities
  .toReversed()
  .map((one, rank) => `when '${one}' then ${rank}`)
  .join(' ')} end)`
