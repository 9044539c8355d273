import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const retention = sqliteTable('retention', {
  /** 0 = the chain of no tenant. */
  tenantId: integer('tenant_id').primaryKey(),
  /** Confirmed time of the first erasure; no row is older, whatever its own time. */
  confirmedFrom: integer('confirmed_from').notNull(),
})

export const tenants = sqliteTable('tenants', {
  id: integer('id').primaryKey(),
  name: text('name').notNull().unique(),
  baseUrl: text('base_url').notNull(),
  createdAt: integer('created_at').notNull(),
  blockedUntil: integer('blocked_until').notNull().default(0),
  blockedForMs: integer('blocked_for_ms'),
  /** JSON: resources that need a full sync after an operator accepted another tenant; null = none was accepted. */
  changeAccepted: text('change_accepted'),
  /** JSON: ids of the accepted data, as `resource GUID`. */
  acceptedIds: text('accepted_ids').notNull().default('[]'),
  /** JSON: resources that may still have records of the former tenant. */
  former: text('former').notNull().default('[]'),
  /** Digests of the credentials for which a change of tenant, and a denial, were accepted. */
  acceptedCredential: text('accepted_credential'),
  deniedCredential: text('denied_credential'),
  /** When an operator last accepted another tenant; older tombstones no longer identify the tenant. */
  knownSince: integer('known_since'),
  /** JSON: pages and lists that an operator accepted; null = none. */
  admitted: text('admitted'),
})
