import { getTableColumns, type Table } from 'drizzle-orm'

type Columns = Readonly<Record<string, { readonly name: string; readonly default: unknown }>>

/** All columns of a table, for `select`, with the names of its fields. */
export function columnList(table: Table): string {
  const columns: Columns = getTableColumns(table)
  return Object.entries(columns)
    .map(([field, { name }]) => `${name} as "${field}"`)
    .join(', ')
}

/** A row of which nothing but its key is known. */
export function defaultsOf(table: Table): Readonly<Record<string, unknown>> {
  const columns: Columns = getTableColumns(table)
  return Object.fromEntries(Object.entries(columns).map(([field, column]) => [field, column.default ?? null]))
}

/** Columns of the fields that are not undefined; flags are stored as 0 and 1, lists and objects as JSON. */
export function changedColumns(table: Table, change: object) {
  const columns: Columns = getTableColumns(table)
  const fields = Object.entries(change).filter(([, value]) => value !== undefined)
  return {
    names: fields.map(([field]) => columns[field]?.name ?? field),
    values: fields.map(([, value]) => storedAs(value)),
  }
}

function storedAs(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}
