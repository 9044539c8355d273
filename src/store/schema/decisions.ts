import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Waivers are kept after removal from the configuration, so that adding them again does not renew them. */
export const waivers = sqliteTable(
  'waivers',
  {
    tenantId: integer('tenant_id').notNull(),
    id: text('id').notNull(),
    check: text('check').notNull(),
    entity: text('entity').notNull(),
    entityKey: text('entity_key').notNull(),
    terms: text('terms').notNull(),
    since: integer('since').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.id] })],
)

export const waivedFindings = sqliteTable(
  'waived_findings',
  {
    fingerprint: text('fingerprint').notNull(),
    waiver: text('waiver').notNull(),
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    terms: text('terms').notNull(),
    facts: text('facts').notNull(),
    severity: text('severity').notNull(),
    acceptedAt: integer('accepted_at').notNull(),
    lapsedAt: integer('lapsed_at'),
    lapsedFacts: text('lapsed_facts'),
    /** Null if the finding is resolved; scrapes count by this column without reading findings. */
    openSeverity: text('open_severity'),
  },
  (table) => [
    primaryKey({ columns: [table.fingerprint, table.waiver] }),
    index('waived_findings_waiver').on(table.tenantId, table.waiver),
    // Includes `lapsed_at`, because otherwise SQLite would read the table to check the condition.
    index('waived_findings_lapsed')
      .on(table.tenantId, table.check, table.waiver, table.terms, table.openSeverity, table.lapsedAt)
      .where(sql`lapsed_at is not null and open_severity is not null`),
  ],
)

export const holds = sqliteTable('holds', {
  id: text('id').primaryKey(),
  tenantId: integer('tenant_id').notNull(),
  resource: text('resource').notNull(),
  reason: text('reason').notNull(),
  count: integer('count').notNull(),
  message: text('message').notNull(),
  /** JSON with the facts that the engine needs to retry. */
  cause: text('cause').notNull(),
  raisedAt: integer('raised_at').notNull(),
  /** JSON: ids of the records whose removal is held. */
  rids: text('rids').notNull().default('[]'),
})
