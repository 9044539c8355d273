import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const holds = sqliteTable('holds', {
  id: text('id').primaryKey(),
  tenantId: integer('tenant_id').notNull(),
  resource: text('resource').notNull(),
  reason: text('reason').notNull(),
  count: integer('count').notNull(),
  message: text('message').notNull(),
  /** JSON: what the engine needs to retry. */
  cause: text('cause').notNull(),
  raisedAt: integer('raised_at').notNull(),
})

export const heldRecords = sqliteTable(
  'held_records',
  { holdId: text('hold_id').notNull(), rid: integer('rid').notNull() },
  (table) => [primaryKey({ columns: [table.holdId, table.rid] })],
)

/** `applied_at` is null until an engine applies the decision. */
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

/** Deleted when the record is removed or returned again. */
export const acceptedRemovals = sqliteTable(
  'accepted_removals',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    rid: integer('rid').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource, table.rid] })],
)
