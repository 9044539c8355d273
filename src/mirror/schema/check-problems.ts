import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Why an own check cannot be evaluated, or not all of its entities, as a sentence; of another check some ids of such entities,
 * as a JSON array. Only while that is so.
 */
export const checkProblems = sqliteTable(
  'check_problems',
  {
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    problem: text('problem').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.check] })],
)
