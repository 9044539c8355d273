import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { FeedQuery, Fetched } from '../../api/reader.ts'
import { SyncError } from '../../model/errors.ts'
import { incrementalFreshnessLimitMs } from '../../model/freshness.ts'
import type { PageCommit } from '../../store/port.ts'
import { commitPage } from '../pages/commit-page.ts'
import { pageRules, queryAt } from '../pages/page-rules.ts'
import { fetchPage, type Run } from '../run.ts'

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
  step: (page: Fetched, index: number) => Pick<PageCommit, 'fullSync' | 'cursor'>,
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
export function pagesAhead(run: Run) {
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
