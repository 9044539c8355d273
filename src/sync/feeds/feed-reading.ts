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

export interface PagesAhead extends AsyncDisposable {
  /** Requests the page at this cursor; null = the first one. */
  begin(cursor: string | null): Promise<void>
  take(cursor: string | null): Promise<Fetched>
}

export function pagesAhead(run: Run): PagesAhead {
  const stop = new AbortController()
  const signal = AbortSignal.any([run.signal, stop.signal])
  let requested: { readonly cursor: string | null; readonly page: Promise<Fetched> } | null = null
  const ask = (cursor: string | null): Promise<Fetched> =>
    run.context.reader.fetch(run.definition, queryAt(cursor), signal)

  return {
    async begin(cursor) {
      const page = ask(cursor)
      // The error is thrown when the page is taken.
      page.catch(() => {})
      requested = { cursor, page }
      // Writing the previous page blocks the thread; without this yield the request would be sent after it.
      await yieldToEventLoop()
    },
    take(cursor) {
      const early = requested !== null && requested.cursor === cursor ? requested.page : null
      requested = null
      let attempts = 0
      // After a change of identity, the page requested ahead belongs to the old one.
      const next = () => (attempts++ === 0 && early !== null ? early : ask(cursor))
      return fetchPage(run, queryAt(cursor), next)
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await requested?.page.catch(() => {})
    },
  }
}
