import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { HoldCause } from '../../model/holds.ts'
import type { Reason } from '../../model/reasons.ts'
import type { ResourceName } from '../../model/resource-names.ts'

/** What waivers accept. Their terms, and the lapses that are shown, are events. */
export const waivedFindings = sqliteTable(
  'waived_findings',
  {
    fingerprint: text('fingerprint').notNull(),
    waiver: text('waiver').notNull(),
    tenantId: integer('tenant_id').notNull(),
    terms: text('terms').notNull(),
    /** JSON object of the material facts, whose change ends the acceptance. */
    facts: text('facts').notNull(),
    acceptedAt: integer('accepted_at').notNull(),
    lapsedAt: integer('lapsed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.fingerprint, table.waiver] }),
    index('waived_findings_waiver').on(table.tenantId, table.waiver),
  ],
)

export const holds = sqliteTable('holds', {
  id: text('id').primaryKey(),
  tenantId: integer('tenant_id').notNull(),
  resource: text('resource').$type<ResourceName | 'all'>().notNull(),
  reason: text('reason').$type<Reason>().notNull(),
  count: integer('count').notNull(),
  message: text('message').notNull(),
  /** Facts that the engine needs to retry. */
  cause: text('cause', { mode: 'json' }).$type<HoldCause>().notNull(),
  raisedAt: integer('raised_at').notNull(),
  /** Ids of the records whose removal is held. */
  rids: text('rids', { mode: 'json' }).$type<readonly number[]>().notNull().default([]),
})
