import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** States that drift is measured from: those a check first saw, and those an operator accepted since; the last counts. */
export const acceptedStates = sqliteTable(
  'accepted_states',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    /** Empty for the note that the first state as a whole was kept. */
    entityId: text('entity_id').notNull(),
    /** JSON of the state; null = there is none, as of what was removed. */
    state: text('state').notNull(),
    at: integer('at').notNull(),
    /** Why an operator accepted it; null for a first state. */
    reason: text('reason'),
  },
  (table) => [index('accepted_states_check').on(table.tenantId, table.check)],
)
