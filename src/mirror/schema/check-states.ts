import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The last check result of a check; never shown as it is: the ages of its inputs are applied at each reading. */
export const checkStates = sqliteTable(
  'check_states',
  {
    tenantId: integer('tenant_id').notNull(),
    check: text('check').notNull(),
    status: text('status').notNull(),
    reason: text('reason'),
    /** How many entities the check is about; null when that was not known. */
    entities: integer('entities'),
    /** How many of them could not be evaluated; null when that was not known. */
    notEvaluated: integer('not_evaluated'),
    since: integer('since').notNull(),
    evaluatedAt: integer('evaluated_at').notNull(),
    /** Digest of the thresholds and lists that decided; null when the check could not be evaluated. */
    rule: text('rule'),
    /** JSON object: how many findings are open, by severity. */
    open: text('open').notNull().default('{}'),
    /** 1 = what the check result changed in the findings is still in `staged_findings`, in part. */
    owing: integer('owing').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.check] }),
    index('check_states_owing').on(table.tenantId).where(sql`owing = 1`),
  ],
)

/** The check results of a check over time: a row when anything but the time of the last confirmation is another. */
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
    /** Since when the status is this one; null in rows of the first release, which only told of other statuses. */
    since: integer('since'),
    rule: text('rule'),
    open: text('open').notNull().default('{}'),
    /** When this check result was last confirmed; null while it is the last one: `check_states` tells it then. */
    confirmedAt: integer('confirmed_at'),
  },
  (table) => [index('check_status_changes_time').on(table.tenantId, table.check, table.at)],
)
