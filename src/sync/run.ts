import type { FeedQuery, Fetched } from '../api/reader.ts'
import { isRefusedRequest, SyncError } from '../model/errors.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import type { SyncMode } from '../model/resource-names.ts'
import type { CommitCounts, WrittenAnswer } from '../model/run-result.ts'
import { greatestSkewMs, replayHint } from '../model/server-clock.ts'
import { secondMs } from '../model/time.ts'
import type { FullSyncRow, SyncState } from '../store/port.ts'
import { RidSet } from '../store/sync/seen-records.ts'
import type { TenantContext } from './context.ts'
import { type ContractEvents, noteOddities } from './contract-events.ts'
import type { TenantGuard } from './tenant-guard.ts'

/** Failures of an optional request that end the run: after a stale or another tenant's answer it cannot succeed. */
export const endsRun: ReadonlySet<Reason> = new Set(['aborted', 'internal', 'stale_answer', 'store', 'tenant_changed'])

/** After these failures no further optional request of the run makes sense. */
export const endsAsking: ReadonlySet<Reason> = new Set([
  ...endsRun,
  'missing_permission',
  'rate_limited',
  'unauthorized',
])

export interface Run {
  readonly context: TenantContext
  readonly tenantId: number
  readonly guard: TenantGuard
  readonly definition: ResourceDefinition
  readonly signal: AbortSignal
  readonly startedAt: number
  readonly state: SyncState
  mode: SyncMode
  pages: number
  readonly counts: Record<keyof CommitCounts, number>
  /** Number of updated records in which a field changed that checks read. */
  relevant: number
  /** Start of the data of this run; for a resumed full sync, before the run itself. */
  dataAsOf: number
  /** Server time at the start of the reading that reached the end of the feed; null before. */
  reachedEndServerTime: number | null
  /** Duration of the full sync before this run began or resumed it, at the monotonic time `since`. */
  readInFull: { readonly beforeMs: number; readonly since: number }
  /** The answer of the last page that was written. */
  answered: WrittenAnswer | null
  /** Latest server time of the pass, also of earlier runs that read a part of it. */
  reachedTime: number | null
  /** Look-ups spent on missing records. */
  lookUps: number
  proven: boolean
  /** Records that the full sync has returned so far. */
  seen: RidSet
  /** Keys of new records and of those whose detail became unknown, at most `userDetails.perRun`. */
  readonly detailsDue: Set<string>
  readonly events: ContractEvents
  readonly fullSyncCompleted: () => Promise<void>
}

/**
 * Fetches a page until its identity is verified. A refused cursor of a feed is `invalid_cursor`.
 *
 * @param ahead the page, requested earlier; after a change of identity it belongs to the old one and is fetched again.
 */
export async function fetchPage(run: Run, query: FeedQuery, ahead?: Promise<Fetched>): Promise<Fetched> {
  const { context, definition, guard, signal } = run
  const rethrow = (error: unknown): never => {
    const losesCursor = definition.kind === 'feed' && query.cursor !== undefined
    if (!losesCursor || !isRefusedRequest(error)) throw error
    throw new SyncError('invalid_cursor', `The tenant refuses the cursor of ${definition.name}`, {
      cause: error,
      status: error.status,
    })
  }
  for (let attempt = 0; attempt < 3; attempt++) {
    const isAhead = attempt === 0 && ahead !== undefined
    const fetched = await (isAhead ? ahead : context.reader.fetch(definition, query, signal)).catch(rethrow)
    noteTime(run, fetched)
    noteOddities(run, fetched.meta.oddities)
    if (await guard.verify(fetched, query, run)) return fetched
  }
  throw new SyncError('unauthorized', 'The credential keeps changing while the tenant is read')
}

/** A page far older than one before it is a replay, as is that of an earlier full sync, whatever the local clock says (docs/internals/sync.md#10-time-of-an-answer). */
function noteTime(run: Run, { meta: { serverTime, requestId } }: Fetched): void {
  const { completeRequestId, completeServerTime } = run.state
  // Also where neither time can be read.
  if (requestId !== null && requestId === completeRequestId && serverTime === completeServerTime)
    throw staleAnswer(run, requestId, 'the requestId and the time of the last complete full sync')
  const behindMs = serverTime === null ? 0 : (run.reachedTime ?? serverTime) - serverTime
  if (behindMs > greatestSkewMs) {
    throw staleAnswer(
      run,
      requestId,
      `a server time ${Math.round(behindMs / secondMs)} s behind that of a page before it`,
    )
  }
  if (serverTime !== null) run.reachedTime = Math.max(run.reachedTime ?? serverTime, serverTime)
}

function staleAnswer({ definition }: Run, requestId: string | null, why: string): SyncError {
  const details = { hint: replayHint, requestId: requestId ?? undefined }
  return new SyncError('stale_answer', `A page of ${definition.name} has ${why}`, details)
}

/** An instant in wall time and monotonic time, in milliseconds. */
export interface Moment {
  readonly at: number
  readonly since: number
}

export function momentOf({ clock }: TenantContext): Moment {
  return { at: clock.now(), since: clock.monotonic() }
}

/** Begins a full sync whose first page was requested at `begun`; drops an open one. */
export async function beginFullSync(
  run: Run,
  cursorBefore: string | null,
  begun = momentOf(run.context),
): Promise<FullSyncRow> {
  const { context, tenantId, definition } = run
  run.readInFull = { beforeMs: 0, since: begun.since }
  const row = await context.store.startFullSync({ tenantId, resource: definition.name, at: begun.at, cursorBefore })
  run.seen = new RidSet()
  return row
}

/** Duration of the full sync so far, in milliseconds of the monotonic clock. */
export function fullSyncMs({ context, readInFull }: Run): number {
  return Math.round(readInFull.beforeMs + context.clock.monotonic() - readInFull.since)
}

/** The full sync after its next page. */
export function fullSyncAfter(
  run: Run,
  fullSync: FullSyncRow,
  { items, nextCursor, hasMore, meta }: Fetched,
): FullSyncRow {
  return {
    ...fullSync,
    ...(fullSync.pages === 0 && { startServerTime: meta.serverTime, startRequestId: meta.requestId }),
    pages: fullSync.pages + 1,
    fullSyncMs: fullSyncMs(run),
    nextCursor: hasMore ? nextCursor : null,
    lastCursor: nextCursor ?? fullSync.lastCursor,
    reachedEnd: !hasMore,
    notWhole: fullSync.notWhole || items.some((item) => !item.ok && item.id === null),
  }
}
