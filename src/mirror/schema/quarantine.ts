import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Records that could not be trusted, raw, until a later full sync returns them well or they are removed by the rules of a live record. */
export const quarantine = sqliteTable(
  'quarantine',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    /** The record's key, or a digest of it where no id could be read. */
    key: text('key').notNull(),
    raw: text('raw').notNull(),
    problem: text('problem').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    requestId: text('request_id'),
    /** The full sync that last showed it. */
    fullSyncId: integer('full_sync_id'),
    /** Complete full syncs in a row that did not return it; -1 = the last one returned this older version and no other. */
    absentFullSyncs: integer('absent_full_syncs').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource, table.key] })],
)
