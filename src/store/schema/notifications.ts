import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** How far each target of notifications has received the events of a tenant. */
export const notificationPositions = sqliteTable(
  'notification_positions',
  {
    tenantId: integer('tenant_id').notNull(),
    target: text('target').notNull(),
    /** Last event that was sent, or that is no news for the target; 0 = the summary of the first sync is pending. */
    eventId: integer('event_id').notNull(),
    /** First failure since the last success; null = none. */
    failingSince: integer('failing_since'),
    /** Of the last failure, without the address. */
    problem: text('problem'),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.target] })],
)
