import { getTableColumns } from 'drizzle-orm'
import { type Emptiness, emptinesses } from '../../model/emptiness.ts'
import { isRefusal, type Reason, reasons } from '../../model/reasons.ts'
import type { Sql } from '../db/db.ts'
import type { RunClose, SyncState, WholeList } from '../port.ts'
import { syncStates } from '../schema/index.ts'

export const emptinessCode = (emptiness: Emptiness | null) =>
  emptiness === null ? 0 : emptinesses.indexOf(emptiness) + 1

const reasonOrNull = (text: string | null) => reasons.find((reason) => reason === text) ?? null

export function toSyncState(resource: SyncState['resource'], row: SyncStateRow | undefined): SyncState {
  const {
    incrementalReason = null,
    fullReason = null,
    denied = null,
    fullSyncOwed = 0,
    incrementalPaused = 0,
    emptyAccepted = 0,
  } = row ?? {}
  return {
    cursor: null,
    reachedEndServerTime: null,
    completeStartedAt: null,
    completeServerTime: null,
    completeDurationMs: null,
    completeRequestId: null,
    serverTime: null,
    serverTimeAt: null,
    incrementalAttemptAt: null,
    incrementalSuccessAt: null,
    fullAttemptAt: null,
    fullSuccessAt: null,
    tokenRefusedAt: null,
    message: null,
    resetFullSyncAt: null,
    ...row,
    resource,
    incrementalReason: reasonOrNull(incrementalReason),
    fullReason: reasonOrNull(fullReason),
    denied: reasonOrNull(denied),
    fullSyncOwed: fullSyncOwed === 1,
    incrementalPaused: incrementalPaused === 1,
    emptyAccepted: emptinesses[emptyAccepted - 1] ?? null,
  }
}

/** Stores the end of a run and the resulting sync state. Call inside a transaction. */
export async function closeRun(sql: Sql, run: RunClose): Promise<void> {
  const { tenantId, resource, mode, startedAt, endedAt, outcome, reason, message, pages, counts } = run
  const { dataAsOf, reachedEndServerTime, answered, tokenRefused = false } = run
  const before = await stateRow(sql, tenantId, resource)
  const { completeStartedAt = null, completeDurationMs = null, live = 0 } = before ?? {}
  await sql(insertRun, [
    {
      ...{ tenantId, resource, mode, startedAt, endedAt, outcome, reason, message, pages, ...counts },
      ...{ completeStartedAt, completeDurationMs, live },
    },
  ])
  const ended = outcome === 'success' ? { success: dataAsOf, reason: null } : { success: undefined, reason }
  const incremental = {
    incrementalAttemptAt: startedAt,
    incrementalReason: ended.reason,
    incrementalSuccessAt: ended.success && laterSuccess(ended.success, before?.incrementalSuccessAt ?? 0, endedAt),
  }
  const full = { fullAttemptAt: startedAt, fullReason: ended.reason, fullSuccessAt: ended.success }
  const both =
    outcome === 'success' && mode === 'full' ? { ...incremental, ...full } : mode === 'full' ? full : incremental
  const otherFailed = (mode === 'full' ? before?.incrementalReason : before?.fullReason) ?? null
  const keepsMessage = outcome === 'success' && mode === 'incremental' && otherFailed !== null
  const aborted = mode === 'full' ? { fullAttemptAt: startedAt } : { incrementalAttemptAt: startedAt }
  // The time of a rejected answer is not that of the stored data.
  const time = outcome === 'success' && answered !== null ? answered : null
  const set = {
    serverTime: time?.serverTime,
    serverTimeAt: time?.at,
    ...both,
    reachedEndServerTime: reachedEndServerTime ?? undefined,
    denied: denialBy(run),
    tokenRefusedAt: tokenRefused ? endedAt : undefined,
    message: keepsMessage ? undefined : message,
  }
  if (before !== undefined) await saveState(sql, tenantId, resource, timesBefore(startedAt, before))
  await saveState(sql, tenantId, resource, reason === 'aborted' ? aborted : set)
}

const insertRun = `insert into runs (tenant_id, resource, mode, started_at, ended_at, outcome, reason, message, pages,
    created, updated, unchanged, removed, quarantined, complete_started_at, complete_duration_ms, live)
  values (@tenantId, @resource, @mode, @startedAt, @endedAt, @outcome, @reason, @message, @pages, @created, @updated,
    @unchanged, @removed, @quarantined, @completeStartedAt, @completeDurationMs, @live)`

/** Undefined keeps a stored refusal, which other failures do not end. */
function denialBy({ outcome, reason }: Pick<RunClose, 'outcome' | 'reason'>): Reason | null | undefined {
  if (outcome === 'success') return null
  return isRefusal(reason) ? reason : undefined
}

/** A resumed full sync may have older data. A time after `now` was recorded before the clock was set back. */
function laterSuccess(success: number, known: number, now: number): number {
  return known > now ? success : Math.max(success, known)
}

/** Corrects times later than the start of this run, which were recorded before the clock was set back. */
function timesBefore(startedAt: number, known: SyncStateRow): SyncStateChange {
  const before = (at: number | null) => (at !== null && at > startedAt ? startedAt - 1 : undefined)
  return {
    incrementalAttemptAt: before(known.incrementalAttemptAt),
    incrementalSuccessAt: before(known.incrementalSuccessAt),
    fullAttemptAt: before(known.fullAttemptAt),
    fullSuccessAt: before(known.fullSuccessAt),
    tokenRefusedAt: before(known.tokenRefusedAt),
  }
}

export type SyncStateRow = typeof syncStates.$inferSelect

type Columns = Readonly<Record<string, { readonly name: string }>>

const stateColumns = Object.entries(getTableColumns(syncStates) as Columns)
  .map(([field, { name }]) => `${name} as "${field}"`)
  .join(', ')

const stateText = `select ${stateColumns} from sync_states where tenant_id = @tenantId`

export async function stateRow(sql: Sql, tenantId: number, resource: string): Promise<SyncStateRow | undefined> {
  return (await sql<SyncStateRow>(`${stateText} and resource = @resource`, [{ tenantId, resource }]))[0]
}

export function stateRows(sql: Sql, tenantId: number): Promise<readonly SyncStateRow[]> {
  return sql<SyncStateRow>(stateText, [{ tenantId }])
}

type Row = typeof syncStates.$inferInsert

/** Absent or undefined fields keep their values. */
export type SyncStateChange = {
  readonly [Field in Exclude<keyof Row, 'tenantId' | 'resource'>]?: Row[Field] | undefined
}

/** Stores fields of a resource's sync state. The first full sync that completed stays the first. */
export async function saveState(sql: Sql, tenantId: number, resource: string, change: SyncStateChange): Promise<void> {
  const columns: Columns = getTableColumns(syncStates)
  const fields = Object.entries(change).filter(([, value]) => value !== undefined)
  if (fields.length === 0) return
  const names = fields.map(([field]) => columns[field]?.name ?? field)
  const set = names.map((name) =>
    name === 'first_complete_at'
      ? `${name} = coalesce(sync_states.${name}, excluded.${name})`
      : `${name} = excluded.${name}`,
  )
  await sql(
    `insert into sync_states (tenant_id, resource, ${names.join(', ')}) values (?, ?, ${names.map(() => '?').join(', ')})
     on conflict (tenant_id, resource) do update set ${set.join(', ')}`,
    [tenantId, resource, ...fields.map(([, value]) => value)],
  )
}

/** Adds to the number of live records of a resource. Call inside the transaction that changes them. */
export async function addLive(sql: Sql, tenantId: number, resource: string, records: number): Promise<void> {
  if (records === 0) return
  await sql(
    `insert into sync_states (tenant_id, resource, live) values (?, ?, ?)
     on conflict (tenant_id, resource) do update set live = sync_states.live + excluded.live`,
    [tenantId, resource, records],
  )
}

export function completion(
  { startedAt, durationMs, serverTime }: WholeList,
  requestId: string | null,
): SyncStateChange {
  return {
    completeStartedAt: startedAt,
    completeDurationMs: durationMs,
    completeServerTime: serverTime,
    completeRequestId: requestId,
  }
}
