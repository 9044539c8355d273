import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Emptiness, HoldCause } from '../../model/holds.ts'
import type { Reason } from '../../model/reasons.ts'
import type { ResourceName } from '../../model/resource-names.ts'

const resource = () => text('resource').$type<ResourceName>().notNull()
const reason = (column: string) => text(column).$type<Reason>()
const flag = (column: string) => integer(column, { mode: 'boolean' }).notNull().default(false)

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
  /** Digest of the credential for which a change of tenant was accepted. */
  acceptedCredential: text('accepted_credential'),
  /** Last record before an operator accepted another tenant; tombstones up to it no longer identify the tenant. */
  formerUntil: integer('former_until'),
  /** Pages and lists that an operator accepted. */
  admitted: text('admitted', { mode: 'json' }).$type<readonly AdmittedPage[]>().notNull().default([]),
})

export const runs = sqliteTable(
  'runs',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    resource: resource(),
    endedAt: integer('ended_at').notNull(),
    /** State of the resource after the run: last complete full sync, live records. */
    completeStartedAt: integer('complete_started_at'),
    completeDurationMs: integer('complete_duration_ms'),
    live: integer('live'),
  },
  (table) => [index('runs_time').on(table.tenantId, table.endedAt)],
)

export const fullSyncs = sqliteTable(
  'full_syncs',
  {
    id: integer('id').primaryKey(),
    tenantId: integer('tenant_id').notNull(),
    resource: resource(),
    startedAt: integer('started_at').notNull(),
    startServerTime: integer('start_server_time'),
    startRequestId: text('start_request_id'),
    progressAt: integer('progress_at').notNull(),
    /** Duration up to the last page, in milliseconds of the monotonic clock. */
    fullSyncMs: integer('full_sync_ms').notNull().default(0),
    /** Wait after the last page that the server requested, in milliseconds. */
    waitMs: integer('wait_ms').notNull().default(0),
    pages: integer('pages').notNull().default(0),
    nextCursor: text('next_cursor'),
    lastCursor: text('last_cursor'),
    cursorBefore: text('cursor_before'),
    reachedEnd: flag('reached_end'),
    /** True if a record had no readable id or contradicts an earlier one, so that the full sync removes nothing. */
    notWhole: flag('not_whole'),
  },
  (table) => [uniqueIndex('full_syncs_resource').on(table.tenantId, table.resource)],
)

/** Ids (four bytes each) of the records of each page, and of the incremental pages read after the last one. */
export const fullSyncPages = sqliteTable(
  'full_sync_pages',
  {
    fullSyncId: integer('full_sync_id').notNull(),
    page: integer('page').notNull(),
    rids: blob('rids', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.fullSyncId, table.page] })],
)

/** Times are in milliseconds since the epoch, of the local clock unless named. */
export const syncStates = sqliteTable(
  'sync_states',
  {
    tenantId: integer('tenant_id').notNull(),
    resource: resource(),
    /** Sent again until the feed returns another one. */
    cursor: text('cursor'),
    reachedEndServerTime: integer('reached_end_server_time'),
    completeStartedAt: integer('complete_started_at'),
    completeServerTime: integer('complete_server_time'),
    completeDurationMs: integer('complete_duration_ms'),
    completeRequestId: text('complete_request_id'),
    /** Server time of the last run's last answer, and the local time of its receipt. */
    serverTime: integer('server_time'),
    serverTimeAt: integer('server_time_at'),
    incrementalAttemptAt: integer('incremental_attempt_at'),
    incrementalSuccessAt: integer('incremental_success_at'),
    incrementalReason: reason('incremental_reason'),
    fullAttemptAt: integer('full_attempt_at'),
    fullSuccessAt: integer('full_success_at'),
    fullReason: reason('full_reason'),
    /** Refusal since the last success in either mode; both use the same permission. */
    denied: reason('denied'),
    /** Last end of a run whose token was refused for every permission. */
    tokenRefusedAt: integer('token_refused_at'),
    message: text('message'),
    resetFullSyncAt: integer('reset_full_sync_at'),
    /** A required full sync has not completed yet. */
    fullSyncOwed: flag('full_sync_owed'),
    /** The cursor was refused again: no incremental syncs until a full sync completes. */
    incrementalPaused: flag('incremental_paused'),
    /** Why an operator accepted a suspect list; null = nothing accepted. */
    emptyAccepted: text('empty_accepted').$type<Emptiness>(),
    /** Raised with each change of the resource's records. */
    version: integer('version').notNull().default(0),
    /** Number of live records. */
    live: integer('live').notNull().default(0),
    /** When the first full sync completed. */
    firstCompleteAt: integer('first_complete_at'),
    /** Key of the last record whose details were read in rotation. */
    detailsAfter: text('details_after'),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.resource] })],
)

export const holds = sqliteTable('holds', {
  id: text('id').primaryKey(),
  tenantId: integer('tenant_id').notNull(),
  resource: text('resource').$type<ResourceName | 'all'>().notNull(),
  reason: text('reason').$type<Reason>().notNull(),
  count: integer('count').notNull(),
  message: text('message').notNull(),
  /** Facts that the engine needs to retry. */
  cause: text('cause', { mode: 'json' }).$type<HoldCause>().notNull(),
  raisedAt: integer('raised_at').notNull(),
  /** Ids of the records whose removal is held. */
  rids: text('rids', { mode: 'json' }).$type<readonly number[]>().notNull().default([]),
  /** Why an operator accepted the hold; null before. */
  acceptedReason: text('accepted_reason'),
  /** When a run applied the acceptance. */
  appliedAt: integer('applied_at'),
})
