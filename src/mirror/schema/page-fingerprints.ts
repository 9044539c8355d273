import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * What the pages of the last full sync of a resource came to: one that comes again, byte for byte, shows the same records with
 * the same values.
 */
export const pageFingerprints = sqliteTable(
  'page_fingerprints',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    /** Its place in the full sync, from 1. */
    page: integer('page').notNull(),
    /** Digest of the records as sent. */
    digest: text('digest').notNull(),
    /** What else the reading of the page hung on; under another one it must be read again. */
    reading: text('reading').notNull(),
    /** What the engine noted about the page, JSON. */
    note: text('note').notNull(),
    /** Packed record ids, and the lowest and highest of them. */
    rids: blob('rids', { mode: 'buffer' }).notNull(),
    lowest: integer('lowest').notNull(),
    highest: integer('highest').notNull(),
    /** Sum of the revisions of the records in that range when the page was written. */
    revision: integer('revision').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource, table.page] })],
)

/** How often records were changed in any way; neighbours share a row. */
export const recordRevisions = sqliteTable(
  'record_revisions',
  {
    resource: text('resource').notNull(),
    /** The record id without its lowest bits. */
    block: integer('block').notNull(),
    revision: integer('revision').notNull(),
  },
  (table) => [primaryKey({ columns: [table.resource, table.block] })],
)
