import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { EventKind } from '../events.ts'

/** The history of everything (docs/evidence.md#what-was-true-then); rows are only added, in one chain a tenant. */
export const events = sqliteTable(
  'events',
  {
    id: integer('id').primaryKey(),
    /** 0 = of no tenant: configurations, the clock, their erasures. */
    tenantId: integer('tenant_id').notNull(),
    /** Local time, or that of the event before it if the clock was set back since and no server confirmed it. */
    at: integer('at').notNull(),
    kind: text('kind').$type<EventKind>().notNull(),
    /** What the event is about, such as `users/17`, a fingerprint, or the id of a check, waiver or hold. */
    subject: text('subject').notNull(),
    /** JSON object; null after erasure. */
    data: text('data'),
    requestId: text('request_id'),
    digest: text('digest').notNull(),
    /** Covers the digest and the hash of the event before it in the chain. */
    hash: text('hash').notNull(),
  },
  (table) => [
    index('events_subject').on(table.tenantId, table.kind, table.subject, table.id),
    index('events_tenant').on(table.tenantId, table.id),
    // Without erased events, which stay for ever.
    index('events_time').on(table.tenantId, table.at).where(sql`data is not null`),
  ],
)

/** The end of each tenant's chain of events. Whoever appends locks the row, so that ids have the order of the chain. */
export const eventChains = sqliteTable('event_chains', {
  tenantId: integer('tenant_id').primaryKey(),
  lastId: integer('last_id').notNull().default(0),
  hash: text('hash').notNull().default(''),
  /** Time of the last event or run, before which nothing more is written unless a server confirms the local clock. */
  lastAt: integer('last_at').notNull().default(0),
  /** Confirmed time of the first erasure; no row of the tenant is older, whatever its own time. Null before. */
  confirmedFrom: integer('confirmed_from'),
})

/** How far each target of notifications has received the events of a tenant. */
export const notificationPositions = sqliteTable(
  'notification_positions',
  {
    tenantId: integer('tenant_id').notNull(),
    target: text('target').notNull(),
    /** Last event that was sent, or that is no news for the target; 0 in the first sync of a tenant. */
    eventId: integer('event_id').notNull(),
    /** First failure since the last success; null = none. */
    failingSince: integer('failing_since'),
    /** Of the last failure, without the address. */
    problem: text('problem'),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.target] })],
)
