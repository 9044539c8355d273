import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Times are in milliseconds since the epoch, of the local clock unless named. */
export const syncStates = sqliteTable(
  'sync_states',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: text('resource').notNull(),
    /** Replayed until the feed returns another. */
    cursor: text('cursor'),
    reachedEndServerTime: integer('reached_end_server_time'),
    completeStartedAt: integer('complete_started_at'),
    completeServerTime: integer('complete_server_time'),
    completeDurationMs: integer('complete_duration_ms'),
    completeRequestId: text('complete_request_id'),
    serverTime: integer('server_time'),
    serverTimeAt: integer('server_time_at'),
    incrementalAttemptAt: integer('incremental_attempt_at'),
    incrementalSuccessAt: integer('incremental_success_at'),
    incrementalReason: text('incremental_reason'),
    fullAttemptAt: integer('full_attempt_at'),
    fullSuccessAt: integer('full_success_at'),
    fullReason: text('full_reason'),
    denied: text('denied'),
    message: text('message'),
    /** Last full sync that a refused cursor caused. */
    resetFullSyncAt: integer('reset_full_sync_at'),
    /** 1 = that full sync has not completed yet. */
    fullSyncOwed: integer('full_sync_owed').notNull().default(0),
    /** 1 = the cursor was refused again: no incremental syncs until a full sync completes. */
    incrementalPaused: integer('incremental_paused').notNull().default(0),
    /** 0 = nothing accepted, else a position in `emptinesses` from 1. */
    emptyAccepted: integer('empty_accepted').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource] })],
)
