import { isRefusal, type Reason } from '../../model/reasons.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { Sql } from '../db/db.ts'
import { lockChain } from '../event-store.ts'
import { type ChangeOf, defaultsOf, insertRow, selectRows, upsertRow } from '../rows.ts'
import { runs, syncStates } from '../schema/index.ts'
import type { RunClose, SyncState, WholeList } from './sync-port.ts'

/** Fields to store; undefined ones keep their values. */
export type StateChange = Omit<ChangeOf<typeof syncStates>, 'tenantId' | 'resource'>

/** A state of which only the key is to be added. */
export const neverSynced = defaultsOf(syncStates)

export async function stateRows(sql: Sql, tenantId: number): Promise<readonly SyncState[]> {
  const rows = await selectRows(sql, syncStates, 'where tenant_id = ?', [tenantId])
  return resourceNames.map(
    (resource) => rows.find((row) => row.resource === resource) ?? { ...neverSynced, tenantId, resource },
  )
}

export async function stateRow(sql: Sql, tenantId: number, resource: ResourceName): Promise<SyncState> {
  const [row] = await selectRows(sql, syncStates, 'where tenant_id = ? and resource = ?', [tenantId, resource])
  return row ?? { ...neverSynced, tenantId, resource }
}

/** @param liveBy set where records change in the same transaction, see `raiseVersion`. */
export async function saveState(
  sql: Sql,
  tenantId: number,
  resource: ResourceName,
  change: StateChange,
  liveBy?: number,
): Promise<void> {
  const added: StateChange = liveBy === undefined ? {} : { version: 1, live: liveBy }
  if (Object.values({ ...change, ...added }).some((value) => value !== undefined))
    await upsertRow(sql, syncStates, { tenantId, resource, ...change }, added)
}

/**
 * Results of the records as they were are no longer current. Call inside the transaction that changes the records.
 *
 * @param liveBy change of the number of live records.
 */
export function raiseVersion(sql: Sql, tenantId: number, resource: ResourceName, liveBy = 0): Promise<void> {
  return saveState(sql, tenantId, resource, {}, liveBy)
}

/** Stores that a full sync completed. @param at time of the first completion, unless there was one. */
export async function saveCompletion(
  sql: Sql,
  { tenantId, resource }: { readonly tenantId: number; readonly resource: ResourceName },
  { startedAt, durationMs, serverTime }: WholeList,
  { at, requestId, ...change }: StateChange & { readonly at: number; readonly requestId: string | null },
  liveBy?: number,
): Promise<void> {
  const { firstCompleteAt } = await stateRow(sql, tenantId, resource)
  const complete = {
    // The clock was set back since it began.
    completeStartedAt: startedAt > at ? at - durationMs : startedAt,
    completeDurationMs: durationMs,
    completeServerTime: serverTime,
    completeRequestId: requestId,
    firstCompleteAt: firstCompleteAt ?? at,
    ...change,
  }
  await saveState(sql, tenantId, resource, complete, liveBy)
}

/** Stores the end of a run and the resulting sync state. Call inside a transaction. */
export async function closeRun(sql: Sql, run: RunClose): Promise<void> {
  const { tenantId, resource, mode, startedAt, endedAt, outcome, reason, message } = run
  const { dataAsOf, reachedEndServerTime, answered, tokenRefused = false } = run
  const before = await stateRow(sql, tenantId, resource)
  const { completeStartedAt, completeDurationMs, live } = before
  const { lastAt } = await lockChain(sql, tenantId, endedAt)
  await insertRow(sql, runs, { tenantId, resource, endedAt: lastAt, completeStartedAt, completeDurationMs, live })
  await saveState(sql, tenantId, resource, timesBefore(startedAt, before))
  if (reason === 'aborted') {
    const attempt = mode === 'full' ? { fullAttemptAt: startedAt } : { incrementalAttemptAt: startedAt }
    return saveState(sql, tenantId, resource, attempt)
  }
  const isSuccess = outcome === 'success'
  const known = before.incrementalSuccessAt ?? 0
  const full: StateChange = {
    fullAttemptAt: startedAt,
    fullReason: isSuccess ? null : reason,
    fullSuccessAt: isSuccess ? dataAsOf : undefined,
  }
  const incremental: StateChange = {
    incrementalAttemptAt: startedAt,
    incrementalReason: isSuccess ? null : reason,
    // A resumed full sync may have older data. A time after `endedAt` was recorded before the clock was set back.
    incrementalSuccessAt: isSuccess ? (known > endedAt ? dataAsOf : Math.max(dataAsOf, known)) : undefined,
  }
  const otherFailed = (mode === 'full' ? before.incrementalReason : before.fullReason) !== null
  const keepsMessage = isSuccess && mode === 'incremental' && otherFailed
  // The time of a rejected answer is not that of the stored data.
  const time = isSuccess ? answered : null
  await saveState(sql, tenantId, resource, {
    ...(mode === 'full' && full),
    ...((mode === 'incremental' || isSuccess) && incremental),
    serverTime: time === null ? undefined : time.serverTime,
    serverTimeAt: time?.at,
    reachedEndServerTime: reachedEndServerTime ?? undefined,
    denied: denialBy(run),
    tokenRefusedAt: tokenRefused ? endedAt : undefined,
    message: keepsMessage ? undefined : message,
  })
}

/** Undefined keeps a stored refusal, which a failure without an answer does not end. */
function denialBy({ outcome, reason, pages }: RunClose): Reason | null | undefined {
  if (isRefusal(reason)) return reason
  return outcome === 'success' || pages > 0 ? null : undefined
}

/** Corrects times later than the start of this run, which were recorded before the clock was set back. */
function timesBefore(startedAt: number, known: SyncState): StateChange {
  const before = (at: number | null) => (at !== null && at > startedAt ? startedAt - 1 : undefined)
  return {
    incrementalAttemptAt: before(known.incrementalAttemptAt),
    incrementalSuccessAt: before(known.incrementalSuccessAt),
    fullAttemptAt: before(known.fullAttemptAt),
    fullSuccessAt: before(known.fullSuccessAt),
    tokenRefusedAt: before(known.tokenRefusedAt),
  }
}
