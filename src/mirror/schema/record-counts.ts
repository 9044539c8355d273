import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const recordCounts = sqliteTable(
  'record_counts',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    grouping: text('grouping').notNull(),
    /** JSON array of the stored values, in the order of the grouping. */
    value: text('value').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource, table.grouping, table.value] })],
)
