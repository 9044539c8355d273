import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Differences of a check result, without effect until it is committed; see `check_states.owing`. */
export const stagedFindings = sqliteTable(
  'staged_findings',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    at: integer('at').notNull(),
    kind: text('kind').notNull(),
    fingerprint: text('fingerprint').notNull(),
    entityType: text('entity_type').notNull(),
    entityId: text('entity_id').notNull(),
    severity: text('severity').notNull(),
    message: text('message').notNull(),
    evidence: text('evidence').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    resolution: text('resolution'),
    facts: text('facts'),
  },
  (table) => [index('staged_findings_check').on(table.tenantId, table.check)],
)
