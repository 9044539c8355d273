import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Records that failed validation, until a later full sync returns them valid or they are removed. */
export const quarantine = sqliteTable(
  'quarantine',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    /** The record's key, or a digest when no id could be read. */
    key: text('key').notNull(),
    raw: text('raw').notNull(),
    problem: text('problem').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    requestId: text('request_id'),
    fullSyncId: integer('full_sync_id'),
    /** Complete full syncs in a row that did not return it; -1 = the last one returned this older version only. */
    absentFullSyncs: integer('absent_full_syncs').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource, table.key] })],
)
