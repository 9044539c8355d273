import { blob, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Full syncs in progress, at most one a resource. */
export const fullSyncs = sqliteTable(
  'full_syncs',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    startedAt: integer('started_at').notNull(),
    startServerTime: integer('start_server_time'),
    startRequestId: text('start_request_id'),
    progressAt: integer('progress_at').notNull(),
    /** Duration up to the last page, in milliseconds: the wall clock may be set meanwhile. */
    fullSyncMs: integer('full_sync_ms').notNull().default(0),
    /** Wait after the last page that the server requested, in milliseconds. */
    waitMs: integer('wait_ms').notNull().default(0),
    pages: integer('pages').notNull().default(0),
    nextCursor: text('next_cursor'),
    lastCursor: text('last_cursor'),
    cursorBefore: text('cursor_before'),
    reachedEnd: integer('reached_end').notNull().default(0),
    /** 1 = a record had no readable id: the full sync removes nothing. */
    unreadable: integer('unreadable').notNull().default(0),
    emptyPages: integer('empty_pages').notNull().default(0),
  },
  (table) => [uniqueIndex('full_syncs_resource').on(table.tenantId, table.resource)],
)

/** Packed ids. Incremental pages beside the full sync count down from -1; page 0 = it replaces one whose list moved. */
export const fullSyncPages = sqliteTable(
  'full_sync_pages',
  {
    fullSyncId: integer('full_sync_id').notNull(),
    page: integer('page').notNull(),
    cursorDigest: text('cursor_digest'),
    rids: blob('rids', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.fullSyncId, table.page] })],
)
