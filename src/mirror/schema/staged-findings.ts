import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Differences that a check result makes to the findings of a check and that are not written there yet. They count for nothing
 * until the check result itself is committed (`check_states.owing`).
 */
export const stagedFindings = sqliteTable(
  'staged_findings',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    at: integer('at').notNull(),
    /** As in `finding_events`, or `replaced`: one finding ends and a new one of the same fingerprint begins. */
    kind: text('kind').notNull(),
    fingerprint: text('fingerprint').notNull(),
    entityType: text('entity_type').notNull(),
    entityId: text('entity_id').notNull(),
    severity: text('severity').notNull(),
    message: text('message').notNull(),
    evidence: text('evidence').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    resolution: text('resolution'),
    /** JSON object of what waivers hang on; null where the finding is resolved. */
    facts: text('facts'),
  },
  (table) => [index('staged_findings_check').on(table.tenantId, table.check)],
)
