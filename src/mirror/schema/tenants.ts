import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const tenants = sqliteTable('tenants', {
  id: integer('id').primaryKey(),
  name: text('name').notNull().unique(),
  /** Origin and path the mirrored data came from. */
  baseUrl: text('base_url').notNull(),
  createdAt: integer('created_at').notNull(),
  /** Nothing is sent to the tenant before this time. */
  blockedUntil: integer('blocked_until').notNull().default(0),
  /** How much of that wait was left when it was stored, in milliseconds. */
  blockedForMs: integer('blocked_for_ms'),
  /**
   * JSON after a tenant change was accepted: resources that still owe a complete full sync, while that lets identity pass, and
   * those whose records may still be the former tenant's; null = neither.
   */
  changeAccepted: text('change_accepted'),
  /** When an operator last accepted another tenant: tombstones of records first seen before are not known any more. */
  knownSince: integer('known_since'),
  /** JSON: resource and keys of a refused page that an operator accepted, until a full sync of it completes. */
  admitted: text('admitted'),
})
