import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Pages of the last full sync of a resource: a page with the same bytes has the same records. */
export const pageFingerprints = sqliteTable(
  'page_fingerprints',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    page: integer('page').notNull(),
    digest: text('digest').notNull(),
    reading: text('reading').notNull(),
    note: text('note').notNull(),
    rids: blob('rids', { mode: 'buffer' }).notNull(),
    lowest: integer('lowest').notNull(),
    highest: integer('highest').notNull(),
    /** Sum of the revisions in that range when the page was stored. */
    revision: integer('revision').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource, table.page] })],
)

/** Numbers of changes of records; neighbouring ids share a row. */
export const recordRevisions = sqliteTable(
  'record_revisions',
  {
    resource: text('resource').notNull(),
    block: integer('block').notNull(),
    revision: integer('revision').notNull(),
  },
  (table) => [primaryKey({ columns: [table.resource, table.block] })],
)
