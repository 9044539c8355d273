import type { FeedQuery, Fetched } from '../../api/reader.ts'
import type { PageCommit, PageComparison, WholeList } from '../../store/port.ts'
import { noteEvent, noteOddities, odditiesOf } from '../contract-events.ts'
import { fetchPage, noteDetailsDue, noteProgress, type Run } from '../run.ts'
import { type Need, needOf, provePage } from './confirm-answer.ts'

/** Writes a page, after a proof if its records require it (docs/sync.md#tenant-identity). Throws if it is refused. */
export async function commitPage(
  run: Run,
  fetched: Fetched,
  query: FeedQuery,
  rest: Pick<PageCommit, 'fullSync' | 'cursor' | 'whole'>,
): Promise<void> {
  const { context, definition, guard, state, tenantId } = run
  const { observer, settings, store } = context
  noteOddities(run, odditiesOf(run, fetched))
  const page: PageCommit = {
    tenantId,
    resource: definition.name,
    items: fetched.items,
    at: fetched.meta.receivedAt,
    requestId: fetched.meta.requestId,
    recordCreations: state.completeStartedAt !== null,
    ...rest,
  }
  const seen: { need: Need; refused: PageComparison | null } = { need: 'nothing', refused: null }
  const isAdmitted = guard.passing || (state.completeStartedAt === null && run.proven)
  const isFullSync = definition.kind === 'feed' && rest.fullSync?.advance !== undefined
  const isAnnouncedEnd = isFullSync && query.cursor !== undefined && !fetched.hasMore
  const admit = (comparison: PageComparison, isProven: boolean) => {
    seen.refused = guard.admits(state, comparison, fetched.meta.serverTime) ? null : comparison
    seen.need = isProven || seen.refused !== null ? 'nothing' : needOf(run, comparison, isAnnouncedEnd)
    return seen.refused === null && seen.need === 'nothing'
  }
  let result = await store.commitPage(isAdmitted ? page : { ...page, admit: (comparison) => admit(comparison, false) })
  if (seen.need !== 'nothing') {
    await provePage(run, fetched, seen.need, () => fetchPage(run, query, { isRepeated: true }))
    result = await store.commitPage({ ...page, admit: (comparison) => admit(comparison, true) })
  }
  if (seen.refused !== null)
    throw await guard.refusePage({ resource: definition.name, query, comparison: seen.refused }, run.signal)
  noteDetailsDue(run, result.detailDue)
  for (const field of result.contradictory) noteEvent(run, 'contradictory', field)
  observer.datesMovedLater(settings.name, definition.name, result.laterDates)
  noteProgress(run, result.counts, fetched.items.length)
}

/** Stores a complete list and the run's success together; false, without a write, if it differs from the mirror. */
export async function confirmList(
  run: Run,
  pages: readonly Fetched[],
  whole: WholeList & { readonly reachedEndServerTime: number | null },
): Promise<boolean> {
  const { answered, context, definition, tenantId, mode, startedAt } = run
  run.guard.insist()
  for (const page of pages) noteOddities(run, odditiesOf(run, page))
  const { reachedEndServerTime } = whole
  const outcome = {
    outcome: 'success',
    reason: null,
    message: null,
    reachedEndServerTime,
    answered,
    pages: pages.length,
  } as const
  const times = { startedAt, endedAt: context.clock.now(), dataAsOf: whole.startedAt }
  const of = { tenantId, resource: definition.name }
  const end = { ...of, mode, ...times, ...outcome }
  const items = pages.flatMap((page) => page.items)
  const requestId = pages[0]?.meta.requestId ?? null
  const counts = await context.store.confirmList({ ...of, items, requestId, whole, end })
  if (counts === null) return false
  run.closed = true
  noteProgress(run, counts, items.length)
  run.pages = pages.length
  return true
}
