import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const acceptedStates = sqliteTable(
  'accepted_states',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    entityId: text('entity_id').notNull(),
    state: text('state').notNull(),
    at: integer('at').notNull(),
    reason: text('reason'),
  },
  (table) => [index('accepted_states_check').on(table.tenantId, table.check)],
)

export const findings = sqliteTable(
  'findings',
  {
    id: integer('id').primaryKey(),
    fingerprint: text('fingerprint').notNull(),
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    entityType: text('entity_type').notNull(),
    entityId: text('entity_id').notNull(),
    severity: text('severity').notNull(),
    message: text('message').notNull(),
    evidence: text('evidence').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    resolvedAt: integer('resolved_at'),
    resolution: text('resolution'),
    reopened: integer('reopened').notNull().default(0),
  },
  (table) => [
    uniqueIndex('findings_fingerprint').on(table.fingerprint),
    // In display order, so that the first findings are found without reading the others.
    index('findings_open')
      .on(table.tenantId, table.check, table.severity, table.firstSeenAt, table.fingerprint)
      .where(sql`resolved_at is null`),
    index('findings_all').on(table.tenantId, table.check),
  ],
)

export const findingEvents = sqliteTable(
  'finding_events',
  {
    id: integer('id').primaryKey(),
    fingerprint: text('fingerprint').notNull(),
    at: integer('at').notNull(),
    kind: text('kind').notNull(),
    severity: text('severity').notNull(),
    message: text('message').notNull(),
    evidence: text('evidence').notNull(),
    resolution: text('resolution'),
  },
  (table) => [
    index('finding_events_finding').on(table.fingerprint, table.at),
    index('finding_events_time').on(table.at),
  ],
)
