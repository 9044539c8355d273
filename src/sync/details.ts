import pMap from 'p-map'
import type { AnswerMeta, AnyRecord, Item, Lookup } from '../api/reader.ts'
import { reasonOf } from '../model/errors.ts'
import type { FeedResource } from '../model/resource.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { LookUp } from '../store/port.ts'
import type { RecordReader } from '../store/records/query.ts'
import { noteEvent, noteOddities } from './contract-events.ts'
import { idOf } from './pages/page-rules.ts'
import { endsAsking, endsRun, type Run } from './run.ts'

/** Reads details (docs/sync.md#user-details) of the run's records, or, after a full sync, in rotation (`rotate`). */
export async function readDetails(run: Run, definition: FeedResource, rotate: boolean): Promise<void> {
  const { context, tenantId } = run
  const { perRun, concurrency } = context.settings.userDetails
  const { lookUp } = definition
  if (lookUp === undefined) return
  if (perRun === 0) return context.store.endDetails(tenantId, definition.name)
  const ambiguous = rotate ? await repeatedTexts(context.store.records(tenantId), ...lookUp.ambiguous.repeatedIn) : []
  const queue = await context.store.detailCandidates({
    tenantId,
    resource: definition.name,
    limit: perRun,
    changedSince: rotate ? null : run.startedAt,
    ambiguous,
  })
  let goesOn = true
  let done = 0
  const read = async (one: LookUp) => {
    if (goesOn && !(await readOne(run, definition, one))) goesOn = false
    if (goesOn) context.observer.lookedUp(context.settings.name, definition.name, ++done, queue.length)
  }
  await pMap(queue, read, { concurrency })
}

/** Texts that several records of a resource have in a field. */
async function repeatedTexts(records: RecordReader, resource: ResourceName, field: string): Promise<readonly string[]> {
  const counts = new Map<string, number>()
  for await (const batch of records.select(resource)) {
    for (const record of batch) {
      const text = Reflect.get(record.fields, field)
      if (typeof text === 'string') counts.set(text, (counts.get(text) ?? 0) + 1)
    }
  }
  return [...counts].flatMap(([text, count]) => (count > 1 ? [text] : [])).sort()
}

/** Most listed records looked up as a control before a 404 proves that a missing record is absent. */
const mostControls = 3

/** True if a listed record is readable by id, or none is listed. A server that always answers 404 proves no absence. */
export async function showsListed(run: Run, definition: FeedResource): Promise<boolean> {
  if (run.shownById) return true
  const listed = await run.context.store.listed(run.tenantId, definition.name, mostControls)
  for (const one of listed) {
    await readOne(run, definition, one)
    if (run.shownById) return true
  }
  return listed.length === 0
}

/** False if further look-ups make no sense: the answer may be another tenant's, or they would fail alike. */
async function readOne(run: Run, definition: FeedResource, one: LookUp): Promise<boolean> {
  try {
    const found = await askById(run, definition, one)
    if (found === undefined) return false
    const { item, meta } = found
    if (item?.ok && idOf(item, definition.idField) === one.key) await takeDetail(run, item, meta)
    return true
  } catch (error) {
    const reason = reasonOf(error)
    if (endsRun.has(reason)) throw error
    run.context.log.debug({ resource: definition.name, key: one.key, reason }, 'A detail could not be read')
    return !endsAsking.has(reason)
  }
}

/** Looks up a record by id; undefined if that is not possible or the answer may be another tenant's. */
export async function askById(run: Run, definition: FeedResource, one: LookUp): Promise<Lookup<AnyRecord> | undefined> {
  const { context, tenantId, signal } = run
  await context.store.noteLookup(tenantId, definition.name, one.rid)
  const found = definition.lookUp && (await context.reader.fetchOne(definition, one.key, signal))
  if (found === undefined || !run.guard.covers(found.meta.identity)) return undefined
  noteOddities(run, found.meta.oddities)
  if (found.item !== null && idOf(found.item, definition.idField) === one.key) run.shownById = true
  return found
}

/** Stores fields that only an answer by id contains. For others the list counts; resolves with those that differ. */
export async function takeDetail(
  run: Run,
  item: Item,
  { receivedAt: at, requestId }: AnswerMeta,
): Promise<readonly string[]> {
  const { context, tenantId, definition } = run
  noteOddities(run, item.ok ? item.oddities : [])
  const detail = { tenantId, resource: definition.name, item, at, requestId }
  const { differing, contradicts } = await context.store.commitDetail(detail)
  run.contradicted ||= contradicts
  for (const field of differing) noteEvent(run, 'detail_differs', field)
  return differing
}
