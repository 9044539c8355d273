import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Removals of about the last 24 hours that no operator accepted, for the shrink guard; a record seen again leaves. */
export const recentRemovals = sqliteTable(
  'recent_removals',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    rid: integer('rid').notNull(),
    /** By the local clock; moved to the present when that clock is set back behind it. */
    removedAt: integer('removed_at').notNull(),
    /** By the server's clock when the full sync began; null where it could not be read. */
    serverTime: integer('server_time'),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource, table.rid] })],
)
