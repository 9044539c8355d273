import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from '../schema/index.ts'

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
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
    key: keys.map((column) => column.name),
  }
}
