import type { FeedQuery, Fetched } from '../../api/reader.ts'
import type { PageCommit } from '../../mirror/port.ts'
import { SyncError } from '../../model/errors.ts'
import type { FeedResource } from '../../model/resource.ts'
import { commit } from '../pages/commit-page.ts'
import { pageRules } from '../pages/page-rules.ts'
import { fetchVerified, type Run } from '../run.ts'

export function cursorRefused(error: unknown): boolean {
  return error instanceof SyncError && error.reason === 'invalid_cursor'
}

/** Fetches one page of a feed. A 400 is `invalid_cursor` if a cursor was sent, else `client_error`. */
export async function fetchFeedPage(
  run: Run,
  definition: FeedResource,
  query: FeedQuery,
  ask = () => run.context.reader.fetch(definition, query, run.signal),
): Promise<Fetched> {
  const cursor = query.cursor ?? null
  try {
    return await fetchVerified(run, ask, query)
  } catch (error) {
    if (cursor === null || !(error instanceof SyncError) || error.status !== 400) throw error
    throw new SyncError('invalid_cursor', `The tenant refuses the cursor of ${definition.name}`, {
      cause: error,
      status: 400,
    })
  }
}

export async function readFeed(
  run: Run,
  definition: FeedResource,
  query: FeedQuery,
  step: (page: Fetched, index: number) => Pick<PageCommit, 'fullSync' | 'cursor'>,
): Promise<void> {
  const rules = pageRules({ maxPages: run.context.settings.api.maxPages })
  let next = query
  for (let index = 0; ; index++) {
    const page = await fetchFeedPage(run, definition, next)
    await rules.check(page, next.cursor ?? null)
    await commit(run, page, next, step(page, index))
    if (!page.hasMore || page.nextCursor === null) return
    next = { cursor: page.nextCursor }
  }
}
