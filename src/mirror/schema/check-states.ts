import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Last check result of a check. Readers apply the present age of its inputs. */
export const checkStates = sqliteTable(
  'check_states',
  {
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    status: text('status').notNull(),
    reason: text('reason'),
    entities: integer('entities'),
    notEvaluated: integer('not_evaluated'),
    since: integer('since').notNull(),
    evaluatedAt: integer('evaluated_at').notNull(),
    rule: text('rule'),
    /** JSON object: open findings by severity. */
    open: text('open').notNull().default('{}'),
    /** 1 = `staged_findings` still has some of the result's differences. */
    owing: integer('owing').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.check] }),
    index('check_states_owing').on(table.tenantId).where(sql`owing = 1`),
  ],
)

/** A row for each check result that differs in more than the time of its confirmation. */
export const checkStatusChanges = sqliteTable(
  'check_status_changes',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    at: integer('at').notNull(),
    status: text('status').notNull(),
    reason: text('reason'),
    entities: integer('entities'),
    notEvaluated: integer('not_evaluated'),
    /** Null in rows of the first release. */
    since: integer('since'),
    rule: text('rule'),
    open: text('open').notNull().default('{}'),
    /** Last confirmation; null while `check_states` has it. */
    confirmedAt: integer('confirmed_at'),
  },
  (table) => [index('check_status_changes_time').on(table.tenantId, table.check, table.at)],
)
