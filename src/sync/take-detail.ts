import type { AnswerMeta, Item } from '../api/reader.ts'
import { noteEvent, noteOddities, type Run } from './run.ts'

/** Takes the fields that only an answer by id contains; for other fields the list counts. */
export async function takeDetail(run: Run, item: Item, { receivedAt: at, requestId }: AnswerMeta): Promise<void> {
  const { context, tenantId, definition } = run
  noteOddities(run, item.ok ? item.oddities : [])
  const detail = { tenantId, resource: definition.name, item, at, requestId }
  const { differing } = await context.store.commitDetail(detail)
  for (const field of differing) noteEvent(run, 'detail_differs', field)
}
