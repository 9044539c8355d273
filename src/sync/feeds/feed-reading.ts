import type { FeedQuery, Fetched } from '../../api/reader.ts'
import type { PageCommit } from '../../mirror/port.ts'
import { SyncError } from '../../model/errors.ts'
import { commitPage } from '../pages/commit-page.ts'
import { pageRules } from '../pages/page-rules.ts'
import { fetchPage, type Run } from '../run.ts'

export function cursorRefused(error: unknown): boolean {
  return error instanceof SyncError && error.reason === 'invalid_cursor'
}

export async function readFeed(
  run: Run,
  query: FeedQuery,
  step: (page: Fetched, index: number) => Pick<PageCommit, 'fullSync' | 'cursor'>,
): Promise<void> {
  const rules = pageRules({ maxPages: run.context.settings.api.maxPages })
  let next = query
  for (let index = 0; ; index++) {
    const page = await fetchPage(run, next)
    await rules.check(page, next.cursor ?? null)
    await commitPage(run, page, next, step(page, index))
    if (!page.hasMore || page.nextCursor === null) return
    next = { cursor: page.nextCursor }
  }
}
