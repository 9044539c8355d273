import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { FeedQuery, Fetched } from '../../api/reader.ts'
import { SyncError } from '../../model/errors.ts'
import { incrementalFreshnessLimitMs } from '../../model/freshness.ts'
import { idOf } from '../../model/reading.ts'
import type { FeedResource } from '../../model/resource.ts'
import { isoMs } from '../../model/time.ts'
import type { FullSyncRow } from '../../store/port.ts'
import { noteEvent } from '../contract-events.ts'
import { idleLimitMs } from '../due.ts'
import { commitPage, type PageEffects } from '../pages/commit-page.ts'
import { pageRules, queryAt } from '../pages/page-rules.ts'
import { beginFullSync, fetchPage, fullSyncAfter, type Run } from '../run.ts'

/** Reads the feed to its end, resuming an open full sync; requests each page while the previous one is written. */
export async function readToEnd(run: Run, definition: FeedResource): Promise<FullSyncRow> {
  await using ahead = pagesAhead(run)
  const rulesFrom = (pages: number) => pageRules(run.context.settings.api.maxPages, pages)
  let fullSync = await openOrStart(run, definition)
  let rules = rulesFrom(fullSync.pages)
  let order: number | null = null
  const holders = new Map<string, string | number | null>()
  let restarted = false
  while (!fullSync.reachedEnd) {
    const page = await ahead.take(fullSync.nextCursor).catch((error: unknown) => {
      rethrowUnlessRestartable(run, fullSync, error, restarted)
      return null
    })
    if (page === null) {
      restarted = true
      fullSync = await beginFullSync(run, fullSync.cursorBefore)
      rules = rulesFrom(fullSync.pages)
      order = null
      holders.clear()
      continue
    }
    try {
      rules.check(page, fullSync.nextCursor)
    } catch (error) {
      // It would fail here again; a server that advances with each request would skip the page.
      await run.context.store.dropFullSync(fullSync.id)
      throw error
    }
    const next = fullSyncAfter(run, fullSync, page)
    if (!next.reachedEnd) await ahead.begin(next.nextCursor)
    await commitPage(run, page, { fullSync: { id: fullSync.id, next } })
    order = noteOrder(run, definition, page, order)
    noteRepeats(run, definition, page, holders)
    fullSync = next
  }
  return fullSync
}

async function openOrStart(run: Run, definition: FeedResource): Promise<FullSyncRow> {
  const { context, tenantId, state } = run
  const { store, clock, log } = context
  const open = await store.openFullSync(tenantId, definition.name)
  const now = clock.now()
  const isIdle = open !== null && Math.abs(now - open.progressAt) - open.waitMs > idleLimitMs(context, state)
  // Begin again if the cursor fails: reading the list shows whether the tenant can be read without it.
  const isStuck = open?.reachedEnd === true && cursorFails(run)
  if (open !== null && open.pages > 0 && !isIdle && !isStuck) {
    log.info({ resource: definition.name, pages: open.pages }, 'Resuming an interrupted full sync')
    // In the first full sync, only the first page needs a proof.
    run.reachedTime = open.startServerTime
    run.seen = await store.seenIn(open.id)
    run.proven ||= state.completeStartedAt === null
    run.readInFull = { beforeMs: open.fullSyncMs + Math.abs(now - open.progressAt), since: clock.monotonic() }
    return open
  }
  const { cursor } = await store.syncState(tenantId, definition.name)
  return beginFullSync(run, cursor)
}

/** Returns if a cursor was refused for the first time, so that the list is read from its beginning; else throws. */
function rethrowUnlessRestartable(
  { context, definition }: Run,
  { pages }: FullSyncRow,
  error: unknown,
  restarted: boolean,
): void {
  if (!cursorRefused(error) || restarted) throw error
  context.log.warn(
    { resource: definition.name, page: pages },
    'A cursor was refused in the middle of a full sync; reading again',
  )
}

/** Counts records that are earlier than the one before them; returns the last time, in milliseconds since the epoch. */
function noteOrder(run: Run, { orderedBy }: FeedResource, { items }: Fetched, before: number | null): number | null {
  let last = before
  for (const item of items) {
    const time = item.ok && orderedBy !== undefined ? isoMs(Reflect.get(item.record, orderedBy)) : null
    if (time === null) continue
    if (last !== null && time < last) noteEvent(run, 'order_violation', 'order')
    last = time
  }
  return last
}

/** Limits memory. */
const mostHolders = 200_000

/**
 * Counts a field that is unique if another record of the pass has the same text, in any letter case. Compares with the
 * first 200,000 texts of the pages that this run reads.
 *
 * @param holders ids of the records by text, to which those of the page are added.
 */
function noteRepeats(
  run: Run,
  { unique, idField }: FeedResource,
  { items }: Fetched,
  holders: Map<string, string | number | null>,
): void {
  if (unique === undefined) return
  for (const item of items) {
    const value = item.ok ? item.record[unique.field] : null
    if (typeof value !== 'string' || value === '') continue
    const text = value.toLowerCase()
    const id = idOf(item, idField)
    if ((holders.get(text) ?? id) !== id) noteEvent(run, unique.event, unique.field)
    else if (holders.size < mostHolders) holders.set(text, id)
  }
}

export function cursorRefused(error: unknown): boolean {
  return error instanceof SyncError && error.reason === 'invalid_cursor'
}

/** True when incremental syncs have failed for longer than their freshness limit. */
export function cursorFails({ context, definition, state }: Run): boolean {
  const { incrementalReason, incrementalAttemptAt, incrementalSuccessAt } = state
  const schedule = context.settings.resources[definition.name].incremental
  if (schedule === null || incrementalReason === null) return false
  const failedForMs = (incrementalAttemptAt ?? 0) - (incrementalSuccessAt ?? 0)
  return failedForMs > incrementalFreshnessLimitMs(schedule.intervalMs)
}

export async function readFeed(
  run: Run,
  query: FeedQuery,
  step: (page: Fetched, index: number) => Pick<PageEffects, 'fullSync' | 'cursor'>,
): Promise<void> {
  const rules = pageRules(run.context.settings.api.maxPages)
  let next = query
  for (let index = 0; ; index++) {
    const page = await fetchPage(run, next)
    rules.check(page, next.cursor ?? null)
    await commitPage(run, page, step(page, index))
    if (!page.hasMore || page.nextCursor === null) return
    next = { cursor: page.nextCursor }
  }
}

/** Requests a page while the one before it is written. */
function pagesAhead(run: Run) {
  const stop = new AbortController()
  const signal = AbortSignal.any([run.signal, stop.signal])
  let ahead: Promise<Fetched> | undefined
  return {
    async begin(cursor: string | null) {
      ahead = run.context.reader.fetch(run.definition, queryAt(cursor), signal)
      // The error is thrown when the page is taken.
      ahead.catch(() => {})
      // Writing the previous page blocks the thread; without this yield the request would be sent after it.
      await yieldToEventLoop()
    },
    /** Takes the page at this cursor, which is that of `begin` where one was requested ahead. */
    take(cursor: string | null): Promise<Fetched> {
      const requested = ahead
      ahead = undefined
      return fetchPage(run, queryAt(cursor), requested)
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await ahead?.catch(() => {})
    },
  }
}
