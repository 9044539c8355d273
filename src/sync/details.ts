import pMap from 'p-map'
import type { LookUp } from '../mirror/port.ts'
import { reasonOf } from '../model/errors.ts'
import type { FeedResource } from '../model/resource.ts'
import { askById } from './ask-by-id.ts'
import { endsAsking, endsRun } from './ending-reasons.ts'
import { idOf } from './pages/page-reading.ts'
import type { Run } from './run.ts'
import { takeDetail } from './take-detail.ts'

/** Reads details (docs/sync.md#user-details): of the run's records, or after a full sync in rotation (`rotate`). */
export async function readDetails(run: Run, definition: FeedResource, rotate: boolean): Promise<void> {
  const { context, tenantId } = run
  const { perRun, concurrency } = context.settings.userDetails
  const { lookUp } = definition
  if (lookUp === undefined || perRun === 0) return
  const records = context.store.records(tenantId)
  const ambiguous = rotate ? await records.duplicates(...lookUp.ambiguous.repeatedIn) : []
  const queue = await context.store.detailCandidates({
    tenantId,
    resource: definition.name,
    limit: perRun,
    changedSince: rotate ? null : run.startedAt,
    ambiguous: ambiguous.map(({ value }) => value),
  })
  let goesOn = true
  const read = async (one: LookUp) => {
    if (goesOn && !(await readOne(run, definition, one))) goesOn = false
  }
  await pMap(queue, read, { concurrency })
}

/** Listed records that are looked up at most before a 404 for a missing record counts as its absence. */
const mostControls = 3

/** True when a listed record is readable by id, or none is listed; a constant 404 proves no absence. */
export async function showsListed(run: Run, definition: FeedResource): Promise<boolean> {
  if (run.shownById) return true
  const listed = await run.context.store.listed(run.tenantId, definition.name, mostControls)
  for (const one of listed) {
    await readOne(run, definition, one)
    if (run.shownById) return true
  }
  return listed.length === 0
}

/** False when no further look-up makes sense: the answer may be another tenant's, or others would fail likewise. */
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
