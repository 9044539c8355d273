import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Removals of about the last 24 hours that no operator accepted; deleted when the record is returned again. */
export const recentRemovals = sqliteTable(
  'recent_removals',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    rid: integer('rid').notNull(),
    /** Local clock; moved to the present when that clock is set back. */
    removedAt: integer('removed_at').notNull(),
    /** Server clock at the start of the full sync; null when unreadable. */
    serverTime: integer('server_time'),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource, table.rid] })],
)
