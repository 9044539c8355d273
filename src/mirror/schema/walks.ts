import { blob, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** The walk of a resource that is under way; at most one a resource, gone when it completes or is dropped. */
export const walks = sqliteTable(
  'walks',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    startedAt: integer('started_at').notNull(),
    startServerTime: integer('start_server_time'),
    startRequestId: text('start_request_id'),
    progressAt: integer('progress_at').notNull(),
    /** How long it was under way at its last page, in milliseconds; the wall clock may be set meanwhile. */
    walkedMs: integer('walked_ms').notNull().default(0),
    /** For how long after its last page nothing could be sent, as the tenant asked, in milliseconds. */
    waitMs: integer('wait_ms').notNull().default(0),
    pages: integer('pages').notNull().default(0),
    /** Cursor of the next page to fetch; null before the first page and when the walk reached the end. */
    nextCursor: text('next_cursor'),
    /** The last non-null cursor the walk was given. */
    lastCursor: text('last_cursor'),
    /** The poll cursor as it stood when the walk began. */
    cursorBefore: text('cursor_before'),
    reachedEnd: integer('reached_end').notNull().default(0),
    /** 1 = a record without a readable id was shown: the walk removes nothing. */
    unreadable: integer('unreadable').notNull().default(0),
    emptyPages: integer('empty_pages').notNull().default(0),
  },
  (table) => [uniqueIndex('walks_resource').on(table.tenantId, table.resource)],
)

/**
 * What a walk, and polls beside it, have shown: packed record ids a page. Pages of polls count down from -1; page 0 says
 * that the walk takes the place of one whose list moved.
 */
export const walkPages = sqliteTable(
  'walk_pages',
  {
    walkId: integer('walk_id').notNull(),
    page: integer('page').notNull(),
    /** Digest of the cursor that the page handed out, to notice one that comes again. */
    cursorDigest: text('cursor_digest'),
    rids: blob('rids', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.walkId, table.page] })],
)
