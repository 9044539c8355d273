import type { FeedQuery, Fetched } from '../../api/reader.ts'
import type { PageCommit, PageGlance, PageResult } from '../../mirror/port.ts'
import { fetchVerified, noteEvent, noteOddities, noteProgress, odditiesOf, type Run } from '../run.ts'
import { type Need, needOf, proveByUsers, provePage } from './confirm-answer.ts'
import { fetchOf } from './page-reading.ts'

export async function commit(
  run: Run,
  fetched: Fetched,
  query: FeedQuery,
  rest: Pick<PageCommit, 'fullSync' | 'cursor' | 'whole' | 'remember'>,
  oddities = odditiesOf(run, fetched),
): Promise<void> {
  const { observer, settings } = run.context
  const { name } = run.definition
  await proveByUsers(run, fetched, query)
  noteOddities(run, oddities)
  const page: PageCommit = {
    tenantId: run.tenantId,
    resource: name,
    items: fetched.items,
    at: fetched.meta.receivedAt,
    requestId: fetched.meta.requestId,
    recordCreations: run.state.completeStartedAt !== null,
    ...rest,
  }
  const result = await commitProven(run, page, fetched, query)
  for (const field of result.contradictory) noteEvent(run, 'contradictory', field)
  observer.datesMovedLater(settings.name, name, result.laterDates)
  noteProgress(run, result.counts, fetched.items.length)
}

async function commitProven(run: Run, page: PageCommit, fetched: Fetched, query: FeedQuery): Promise<PageResult> {
  const { context, definition, guard, signal, state } = run
  const seen: { need: Need; refused: PageGlance | null } = { need: 'nothing', refused: null }
  if (guard.passing || (state.completeStartedAt === null && run.proven)) return context.store.commitPage(page)
  const isFullSync = definition.kind === 'feed' && page.fullSync?.advance !== undefined
  const isAnnouncedEnd = isFullSync && query.cursor !== undefined && !fetched.hasMore
  const admit = (glance: PageGlance, isProven: boolean) => {
    seen.refused = guard.admits(state, glance) ? null : glance
    seen.need = isProven || seen.refused !== null ? 'nothing' : needOf(run, glance, isAnnouncedEnd)
    return seen.refused === null && seen.need === 'nothing'
  }
  let result = await context.store.commitPage({ ...page, admit: (glance) => admit(glance, false) })
  if (seen.need !== 'nothing') {
    const again = () => fetchVerified(run, () => fetchOf(context, definition, query, signal), query)
    await provePage(run, fetched, seen.need, again)
    result = await context.store.commitPage({ ...page, admit: (glance) => admit(glance, true) })
  }
  if (seen.refused !== null) throw await guard.refusePage(definition.name, query, seen.refused)
  return result
}
