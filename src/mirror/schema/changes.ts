import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** History of records; creations only after the first complete full sync. */
export const changes = sqliteTable(
  'changes',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    key: text('key').notNull(),
    at: integer('at').notNull(),
    /** created, changed, removed or returned. */
    kind: text('kind').notNull(),
    field: text('field'),
    /** JSON, for `changed`. */
    before: text('before'),
    after: text('after'),
    requestId: text('request_id'),
  },
  (table) => [
    index('changes_entity').on(table.tenantId, table.resource, table.key),
    index('changes_time').on(table.at),
  ],
)
