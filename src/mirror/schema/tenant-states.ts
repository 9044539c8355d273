import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What the trust in a tenant's mirror hung on when it was evaluated, beside ages and counts; a row when it became another. */
export const tenantStates = sqliteTable(
  'tenant_states',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    at: integer('at').notNull(),
    /** JSON: holds, clocks, refusals and doubts. */
    state: text('state').notNull(),
  },
  (table) => [index('tenant_states_tenant').on(table.tenantId)],
)
