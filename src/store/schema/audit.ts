import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Hash chain over the logs of a tenant (docs/evidence.md#proof-against-changes); never changed or erased in part. */
export const auditChain = sqliteTable(
  'audit_chain',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    /** Number within the tenant's chain, from 1, without gaps. */
    sequence: integer('sequence').notNull(),
    at: integer('at').notNull(),
    log: text('log').notNull(),
    /** Ids of the first and last covered row; 0 = none is left. */
    firstId: integer('first_id').notNull(),
    lastId: integer('last_id').notNull(),
    rowCount: integer('row_count').notNull(),
    digest: text('digest').notNull(),
    /** After an erasure: how many of the oldest digests in force this one replaces; 0 = it covers new rows. */
    replaces: integer('replaces').notNull(),
    /** 1 = the rows no longer matched the replaced digests. */
    differs: integer('differs').notNull(),
    /** Id up to which rows of the log are sealed. */
    sealedTo: integer('sealed_to').notNull(),
    hash: text('hash').notNull(),
  },
  (table) => [
    uniqueIndex('audit_chain_sequence').on(table.tenantId, table.sequence),
    index('audit_chain_log').on(table.tenantId, table.log, table.sequence),
  ],
)
