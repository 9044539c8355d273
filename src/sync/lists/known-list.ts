import type { Fetched } from '../../api/reader.ts'
import type { WholeList } from '../../mirror/port.ts'
import { noteOddities, noteProgress, odditiesOf, type Run } from '../run.ts'

/** Stores a complete list and the run's success at once; false, with nothing written, if it differs from the mirror. */
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
