import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Where the sync of one resource stands; times in milliseconds since the epoch of the local clock unless named. */
export const syncStates = sqliteTable(
  'sync_states',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    /** The incremental sync cursor, replayed until the feed gives another. */
    cursor: text('cursor'),
    /** Server time at the start of the last run that reached the end of the feed. */
    reachedEndServerTime: integer('reached_end_server_time'),
    /** Start of the last complete full sync: the age of the data. */
    completeStartedAt: integer('complete_started_at'),
    completeServerTime: integer('complete_server_time'),
    completeDurationMs: integer('complete_duration_ms'),
    completeRequestId: text('complete_request_id'),
    /** Server time of the last run's last answer; null = it could not be read. */
    serverTime: integer('server_time'),
    /** What the local clock showed then; null = no answer yet. */
    serverTimeAt: integer('server_time_at'),
    incrementalAttemptAt: integer('incremental_attempt_at'),
    incrementalSuccessAt: integer('incremental_success_at'),
    incrementalReason: text('incremental_reason'),
    fullAttemptAt: integer('full_attempt_at'),
    fullSuccessAt: integer('full_success_at'),
    fullReason: text('full_reason'),
    /** The refusal (`unauthorized`, `missing_permission`) that no success of either mode followed. */
    denied: text('denied'),
    /** One sentence of the last failure of either mode, with its hint. */
    message: text('message'),
    /** When a refused cursor last made a full sync run out of turn. */
    resetFullSyncAt: integer('reset_full_sync_at'),
    /** 1 = that full sync has not completed yet. */
    fullSyncOwed: integer('full_sync_owed').notNull().default(0),
    /** 1 = the cursor was refused again: incremental syncs rest until a full sync completes. */
    incrementalPaused: integer('incremental_paused').notNull().default(0),
    /** What an operator accepted of a list that looks incomplete: 0 = nothing, else a place in `emptinesses` from 1. */
    emptyAccepted: integer('empty_accepted').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource] })],
)
