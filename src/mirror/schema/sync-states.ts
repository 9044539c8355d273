import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Where the sync of one resource stands; times in milliseconds since the epoch of the local clock unless named. */
export const syncStates = sqliteTable(
  'sync_states',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    /** The poll cursor, replayed until the feed gives another. */
    cursor: text('cursor'),
    /** Server time at the start of the last run that reached the end of the feed. */
    reachedEndServerTime: integer('reached_end_server_time'),
    /** Start of the last complete walk: the age of the data. */
    completeStartedAt: integer('complete_started_at'),
    completeServerTime: integer('complete_server_time'),
    completeDurationMs: integer('complete_duration_ms'),
    completeRequestId: text('complete_request_id'),
    /** Server time of the last run's last answer; null = it could not be read. */
    serverTime: integer('server_time'),
    /** What the local clock showed then; null = no answer yet. */
    serverTimeAt: integer('server_time_at'),
    pollAttemptAt: integer('poll_attempt_at'),
    pollSuccessAt: integer('poll_success_at'),
    pollReason: text('poll_reason'),
    sweepAttemptAt: integer('sweep_attempt_at'),
    sweepSuccessAt: integer('sweep_success_at'),
    sweepReason: text('sweep_reason'),
    /** The refusal (`unauthorized`, `missing_permission`) that no success of either mode followed. */
    denied: text('denied'),
    /** One sentence of the last failure of either mode, with its hint. */
    message: text('message'),
    /** When a refused cursor last made a sweep run out of turn. */
    resetSweepAt: integer('reset_sweep_at'),
    /** 1 = that sweep has not completed yet. */
    sweepOwed: integer('sweep_owed').notNull().default(0),
    /** 1 = the cursor was refused again: polls rest until a sweep completes. */
    pollsRest: integer('polls_rest').notNull().default(0),
    /** 1 = an operator accepted that an empty list is the truth. */
    emptyAccepted: integer('empty_accepted').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource] })],
)
