import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What the engine will not do until an operator accepts it or its cause is gone. */
export const holds = sqliteTable('holds', {
  id: text('id').primaryKey(),
  tenantId: integer('tenant_id').notNull(),
  /** A resource, or `all` for the whole tenant. */
  resource: text('resource').notNull(),
  reason: text('reason').notNull(),
  count: integer('count').notNull(),
  message: text('message').notNull(),
  /** JSON: what the engine needs to try again whatever raised the hold. */
  cause: text('cause').notNull(),
  raisedAt: integer('raised_at').notNull(),
})

/** The record ids a shrink hold covers. */
export const heldRecords = sqliteTable(
  'held_records',
  { holdId: text('hold_id').notNull(), rid: integer('rid').notNull() },
  (table) => [primaryKey({ columns: [table.holdId, table.rid] })],
)

/** Decisions of operators; one that a running engine has not applied yet has no `applied_at`. */
export const decisions = sqliteTable('decisions', {
  id: integer('id').primaryKey(),
  holdId: text('hold_id').notNull(),
  tenantId: integer('tenant_id').notNull(),
  resource: text('resource').notNull(),
  holdReason: text('hold_reason').notNull(),
  count: integer('count').notNull(),
  reason: text('reason').notNull(),
  decidedAt: integer('decided_at').notNull(),
  appliedAt: integer('applied_at'),
})

/** Records whose removal an operator accepted, until each is removed or seen again. */
export const acceptedRemovals = sqliteTable(
  'accepted_removals',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    rid: integer('rid').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource, table.rid] })],
)
