import type { FeedQuery, Fetched } from '../../api/reader.ts'
import type { PageCommit, PageComparison, WholeList } from '../../store/port.ts'
import { noteEvent, noteOddities, odditiesOf } from '../contract-events.ts'
import { noteDetailsDue, noteProgress, type Run } from '../run.ts'

/** Writes a page, after a proof if its records require it (docs/sync.md#tenant-identity). Throws if it is refused. */
export async function commitPage(
  run: Run,
  fetched: Fetched,
  query: FeedQuery,
  rest: Pick<PageCommit, 'fullSync' | 'cursor' | 'whole'>,
): Promise<void> {
  const { context, definition, guard, state, tenantId } = run
  const { observer, settings, store } = context
  guard.insist()
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
  let refused: PageComparison | null = null
  let needsProof = false
  const admit = (comparison: PageComparison) => {
    refused = guard.admits(state, comparison, fetched.meta.serverTime) ? null : comparison
    needsProof = refused === null && lacksProof(run, comparison)
    return refused === null && !needsProof
  }
  let result = await store.commitPage(guard.passing ? page : { ...page, admit })
  if (needsProof) {
    await guard.prove(run.signal)
    run.proven = true
    result = await store.commitPage({ ...page, admit })
  }
  if (refused !== null)
    throw await guard.refusePage({ resource: definition.name, query, comparison: refused }, run.signal)
  noteDetailsDue(run, result.detailDue)
  for (const field of result.contradictory) noteEvent(run, 'contradictory', field)
  observer.datesMovedLater(settings.name, definition.name, result.laterDates)
  noteProgress(run, result.counts, fetched.items.length)
}

/** True for a page of a list of GUIDs without a known one, while no other page of the run had one. */
function lacksProof(run: Run, { known, unknown }: PageComparison): boolean {
  if (run.definition.identifiedBy !== 'guid' || known + unknown.length === 0) return false
  if (known > 0) run.proven = true
  return !run.proven
}

/** Stores that a list in one answer equals the mirror, with the run's success; false, without a write, if it differs. */
export async function confirmList(run: Run, fetched: Fetched, whole: WholeList): Promise<boolean> {
  const { answered, context, definition, tenantId, mode, startedAt } = run
  run.guard.insist()
  noteOddities(run, odditiesOf(run, fetched))
  const of = { tenantId, resource: definition.name }
  const end = {
    ...of,
    mode,
    startedAt,
    endedAt: context.clock.now(),
    dataAsOf: whole.startedAt,
    outcome: 'success',
    reason: null,
    message: null,
    reachedEndServerTime: null,
    answered,
    pages: 1,
  } as const
  const { items, meta } = fetched
  const counts = await context.store.confirmList({ ...of, items, requestId: meta.requestId, whole, end })
  if (counts === null) return false
  run.closed = true
  noteProgress(run, counts, items.length)
  return true
}
