import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import { type Emptiness, emptinesses } from '../../model/emptiness.ts'
import { memoize } from '../../model/memoize.ts'
import { isRefusal, type Reason, reasons } from '../../model/reasons.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database, Statement } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { orm } from '../orm.ts'
import type { RunClose, SyncState, WholeList } from '../port.ts'
import { liveCount } from '../records/record-counts.ts'
import { recordTables } from '../records/record-tables.ts'
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

export interface RunEnds {
  /** Stores the end of a run and the resulting sync state. Call inside a transaction. */
  close(tx: Sql, run: RunClose): Promise<void>
}

export function runEnds(database: Database): RunEnds {
  const stateOf = syncStateRow(database)
  const putState = syncStateWriter(database)
  const insertRun = database.prepare<[object]>(
    `insert into runs (tenant_id, resource, mode, started_at, ended_at, outcome, reason, message, pages, created, updated,
       unchanged, removed, quarantined, complete_started_at, complete_duration_ms, live)
     values (@tenantId, @resource, @mode, @startedAt, @endedAt, @outcome, @reason, @message, @pages, @created, @updated,
       @unchanged, @removed, @quarantined, @completeStartedAt, @completeDurationMs, @live)`,
  )
  const live = memoize((resource: ResourceName) =>
    database.prepareValues<[number], number>(liveCount(recordTables[resource])),
  )
  return {
    async close(tx, { counts, dataAsOf, reachedEndServerTime, answered, tokenRefused = false, ...run }) {
      const { tenantId, resource, mode, startedAt, outcome, reason, message } = run
      const liveNow = await live(resource).get(tx, tenantId)
      const before = await stateOf(tx, tenantId, resource)
      const { completeStartedAt = null, completeDurationMs = null } = before ?? {}
      const left = { completeStartedAt, completeDurationMs, live: (await liveNow) ?? 0 }
      await insertRun.run(tx, { ...run, ...counts, ...left })
      const ended = outcome === 'success' ? { success: dataAsOf, reason: null } : { success: undefined, reason }
      const incremental = {
        incrementalAttemptAt: startedAt,
        incrementalReason: ended.reason,
        ...(ended.success && {
          incrementalSuccessAt: laterSuccess(ended.success, before?.incrementalSuccessAt ?? 0, run.endedAt),
        }),
      }
      const full = {
        fullAttemptAt: startedAt,
        fullReason: ended.reason,
        ...(ended.success && { fullSuccessAt: ended.success }),
      }
      const both =
        outcome === 'success' && mode === 'full' ? { ...incremental, ...full } : mode === 'full' ? full : incremental
      const otherFailed = (mode === 'full' ? before?.incrementalReason : before?.fullReason) ?? null
      const keepMessage = outcome === 'success' && mode === 'incremental' && otherFailed !== null
      const reached = { reachedEndServerTime: reachedEndServerTime ?? undefined, denied: denialBy(run) }
      const refused = tokenRefused ? { tokenRefusedAt: run.endedAt } : {}
      const aborted = mode === 'full' ? { fullAttemptAt: startedAt } : { incrementalAttemptAt: startedAt }
      // The time of a rejected answer is not that of the stored data.
      const isTaken = outcome === 'success' && answered !== null
      const time = isTaken ? { serverTime: answered.serverTime, serverTimeAt: answered.at } : {}
      const set =
        reason === 'aborted'
          ? aborted
          : { ...time, ...both, ...reached, ...refused, ...(keepMessage ? {} : { message }) }
      await putState(tx, tenantId, resource, { ...(before && timesBefore(startedAt, before)), ...set })
    },
  }
}

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
function timesBefore(startedAt: number, known: SyncStateRow): SyncStateNote {
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

export function syncStateRow(
  database: Database,
): (tx: Sql, tenantId: number, resource: string) => Promise<SyncStateRow | undefined> {
  const { tenantId, resource } = syncStates
  const row = database.select(
    orm
      .select()
      .from(syncStates)
      .where(and(eq(tenantId, sql.placeholder('tenantId')), eq(resource, sql.placeholder('resource')))),
  )
  return (tx, tenantId, resource) => row.get(tx, { tenantId, resource })
}

type Row = typeof syncStates.$inferInsert

/** Absent or undefined fields keep their values. */
export type SyncStateNote = { readonly [Field in Exclude<keyof Row, 'tenantId' | 'resource'>]?: Row[Field] | undefined }

export type SyncStateWriter = (tx: Sql, tenantId: number, resource: string, note: SyncStateNote) => Promise<void>

/** Prepares one statement for each set of fields that is written together. */
export function syncStateWriter(database: Database): SyncStateWriter {
  const columns: Readonly<Record<string, { readonly name: string }>> = getTableColumns(syncStates)
  const upsert = memoize((fields: string): Statement<readonly unknown[], never> => {
    const names = fields.split(' ').map((field) => `"${columns[field]?.name ?? field}"`)
    return database.prepare(
      `insert into sync_states (tenant_id, resource, ${names.join(', ')}) values (?, ?, ${names.map(() => '?').join(', ')})
       on conflict (tenant_id, resource) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    )
  })
  return async (tx: Sql, tenantId, resource, note) => {
    const stated = Object.entries(note).filter(([, value]) => value !== undefined)
    if (stated.length === 0) return
    const values = stated.map(([, value]) => value)
    await upsert(stated.map(([field]) => field).join(' ')).run(tx, tenantId, resource, ...values)
  }
}

export function completion({ startedAt, durationMs, serverTime }: WholeList, requestId: string | null): SyncStateNote {
  return {
    completeStartedAt: startedAt,
    completeDurationMs: durationMs,
    completeServerTime: serverTime,
    completeRequestId: requestId,
  }
}
