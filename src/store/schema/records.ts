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

/** Removals of about the last 24 hours that no operator accepted; deleted when the record is returned again. */
export const recentRemovals = sqliteTable(
  'recent_removals',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    rid: integer('rid').notNull(),
    /** Local time; moved to the current time when that clock is set back. */
    removedAt: integer('removed_at').notNull(),
    /** Server time at the start of the full sync; if unreadable, local time as if not set since the engine's start. */
    serverTime: integer('server_time').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource, table.rid] })],
)

/** Records that failed validation, until a later full sync returns them valid or they are removed. */
export const quarantine = sqliteTable(
  'quarantine',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    /** The record's key, or a digest if no id could be read. */
    key: text('key').notNull(),
    raw: text('raw').notNull(),
    problem: text('problem').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    requestId: text('request_id'),
    fullSyncId: integer('full_sync_id'),
    /** Consecutive complete full syncs that did not return it; -1 = the last one only returned this older version. */
    absentFullSyncs: integer('absent_full_syncs').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource, table.key] })],
)
