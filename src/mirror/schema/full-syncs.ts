import { blob, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** The full sync of a resource that is under way; at most one a resource, gone when it completes or is dropped. */
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
    /** How long it was under way at its last page, in milliseconds; the wall clock may be set meanwhile. */
    fullSyncMs: integer('full_sync_ms').notNull().default(0),
    /** For how long after its last page nothing could be sent, as the tenant asked, in milliseconds. */
    waitMs: integer('wait_ms').notNull().default(0),
    pages: integer('pages').notNull().default(0),
    /** Cursor of the next page to fetch; null before the first page and when the full sync reached the end. */
    nextCursor: text('next_cursor'),
    /** The last non-null cursor the full sync was given. */
    lastCursor: text('last_cursor'),
    /** The incremental sync cursor as it stood when the full sync began. */
    cursorBefore: text('cursor_before'),
    reachedEnd: integer('reached_end').notNull().default(0),
    /** 1 = a record without a readable id was shown: the full sync removes nothing. */
    unreadable: integer('unreadable').notNull().default(0),
    emptyPages: integer('empty_pages').notNull().default(0),
  },
  (table) => [uniqueIndex('full_syncs_resource').on(table.tenantId, table.resource)],
)

/**
 * What a full sync, and incremental syncs beside it, have shown: packed record ids a page. Pages of incremental syncs count down from -1; page 0 says
 * that the full sync takes the place of one whose list moved.
 */
export const fullSyncPages = sqliteTable(
  'full_sync_pages',
  {
    fullSyncId: integer('full_sync_id').notNull(),
    page: integer('page').notNull(),
    /** Digest of the cursor that the page handed out, to notice one that comes again. */
    cursorDigest: text('cursor_digest'),
    rids: blob('rids', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.fullSyncId, table.page] })],
)
