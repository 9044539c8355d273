import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The record of waivers: when terms came to count, and when what a waiver accepted of a finding lapsed. */
export const waiverChanges = sqliteTable(
  'waiver_changes',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    waiver: text('waiver').notNull(),
    at: integer('at').notNull(),
    terms: text('terms').notNull(),
    check: text('check').notNull(),
    /** Null when the terms themselves came to count. */
    fingerprint: text('fingerprint'),
    /** JSON objects of the material facts: those accepted, and those that ended it. */
    accepted: text('accepted'),
    changed: text('changed'),
  },
  (table) => [
    index('waiver_changes_waiver').on(table.tenantId, table.waiver),
    index('waiver_changes_time').on(table.at),
  ],
)
