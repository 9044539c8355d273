import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Why an own check cannot be evaluated, in full or in part; of other checks, a JSON array of entity ids. */
export const checkProblems = sqliteTable(
  'check_problems',
  {
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    problem: text('problem').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.check] })],
)
