import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from '../schema/index.ts'
import { mirrored } from '../schema/mirrored.ts'

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
  /** Columns of the primary key. */
  readonly key: readonly string[]
  /** `derived` = computed from other tables, because databases write its values differently; still verified. */
  readonly kind: 'copied' | 'derived'
  /** Columns with JSON that the database itself writes, in its own form. */
  readonly json: readonly string[]
}

/** All tables of the mirror. Drivers have further ones, whose content is specific to a database. */
export const copiedTables: readonly CopiedTable[] = [...Object.values(schema), ...Object.values(mirrored)]
  .map(copiedTable)
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))

function copiedTable(table: SQLiteTable): CopiedTable {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const keys = [...primaryKeys.flatMap((key) => key.columns), ...columns.filter(({ primary }) => primary)]
  const isCounts = table === schema.recordCounts
  return {
    name,
    columns: columns.map((column) => column.name),
    key: keys.map((column) => column.name),
    kind: isCounts ? 'derived' : 'copied',
    json: isCounts ? [schema.recordCounts.value.name] : [],
  }
}
