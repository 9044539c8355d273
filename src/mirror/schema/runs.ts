import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const runs = sqliteTable(
  'runs',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    mode: text('mode').notNull(),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at').notNull(),
    outcome: text('outcome').notNull(),
    reason: text('reason'),
    message: text('message'),
    pages: integer('pages').notNull(),
    created: integer('created').notNull(),
    updated: integer('updated').notNull(),
    unchanged: integer('unchanged').notNull(),
    removed: integer('removed').notNull(),
    quarantined: integer('quarantined').notNull(),
    /** The resource after the run: its last complete full sync, and its live records. */
    completeStartedAt: integer('complete_started_at'),
    completeDurationMs: integer('complete_duration_ms'),
    live: integer('live'),
  },
  (table) => [index('runs_time').on(table.startedAt)],
)
