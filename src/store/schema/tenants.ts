import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What an operator accepted of a list that has old, unknown records. */
export interface AdmittedPage {
  readonly resource: string
  /** Ids of one page; null = of the whole list. */
  readonly keys: readonly (string | number)[] | null
}

const strings = (column: string) => text(column, { mode: 'json' }).$type<readonly string[]>()

export const tenants = sqliteTable('tenants', {
  id: integer('id').primaryKey(),
  name: text('name').notNull().unique(),
  baseUrl: text('base_url').notNull(),
  createdAt: integer('created_at').notNull(),
  blockedUntil: integer('blocked_until').notNull().default(0),
  blockedForMs: integer('blocked_for_ms'),
  /** Resources that need a full sync after an operator accepted another tenant; null = none was accepted. */
  changeAccepted: strings('change_accepted'),
  /** Ids of the accepted data, as `resource GUID`. */
  acceptedIds: strings('accepted_ids').notNull().default([]),
  /** Resources that may still have records of the former tenant. */
  former: strings('former').notNull().default([]),
  /** Digests of the credentials for which a change of tenant, and a denial, were accepted. */
  acceptedCredential: text('accepted_credential'),
  deniedCredential: text('denied_credential'),
  /** When an operator last accepted another tenant; older tombstones no longer identify the tenant. */
  knownSince: integer('known_since'),
  /** Pages and lists that an operator accepted. */
  admitted: text('admitted', { mode: 'json' }).$type<readonly AdmittedPage[]>().notNull().default([]),
})
