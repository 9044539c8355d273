import type { AnyRecord, Lookup } from '../api/reader.ts'
import type { LookUp } from '../mirror/port.ts'
import type { FeedResource } from '../model/resource.ts'
import { idOf } from './pages/page-reading.ts'
import { noteAnswer, type Run } from './run.ts'

/** Looks one record up by id; undefined where that is not possible or the answer may be another tenant's. */
export async function askById(run: Run, definition: FeedResource, one: LookUp): Promise<Lookup<AnyRecord> | undefined> {
  const { context, tenantId, signal } = run
  await context.store.noteLookup(tenantId, definition.name, one.rid)
  const found = definition.lookUp && (await context.reader.fetchOne(definition, one.key, signal))
  if (found === undefined || !run.guard.covers(found.meta.identity)) return undefined
  noteAnswer(run, found.meta)
  if (found.item !== null && idOf(found.item, definition.idField) === one.key) run.shownById = true
  return found
}
