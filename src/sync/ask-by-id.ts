import type { LookUp } from '../mirror/port.ts'
import { idOf } from './pages/page-reading.ts'
import type { FeedResource, FetchedOne } from './resource.ts'
import { noteAnswer, type Run } from './run.ts'

/** Asks for one record by id; undefined when the answer may be another tenant's, or where nothing can be asked so. */
export async function askById(run: Run, definition: FeedResource, one: LookUp): Promise<FetchedOne | undefined> {
  const { context, tenantId, signal } = run
  await context.store.noteLookup(tenantId, definition.name, one.rid)
  const found = await definition.fetchOne?.(context.reader, one.key, signal)
  if (found === undefined || !run.guard.covers(found.meta.identity)) return undefined
  noteAnswer(run, found.meta)
  if (found.item !== null && idOf(found.item, definition.idField) === one.key) run.shownById = true
  return found
}
