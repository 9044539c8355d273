import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** How many live records have the same values in the fields of a grouping; kept with the records, never counted again. */
export const recordCounts = sqliteTable(
  'record_counts',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    /** Names of the fields. */
    grouping: text('grouping').notNull(),
    /** JSON array of the stored values, in the order of the fields. */
    value: text('value').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource, table.grouping, table.value] })],
)
