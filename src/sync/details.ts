import type { LookUp } from '../mirror/port.ts'
import { reasonOf } from '../model/errors.ts'
import type { FeedResource } from '../model/resource.ts'
import { askById } from './ask-by-id.ts'
import { endsAsking, endsRun } from './ending-reasons.ts'
import { idOf } from './pages/page-reading.ts'
import type { Run } from './run.ts'
import { takeDetail } from './take-detail.ts'

/**
 * Reads details one by one within the budget: after incremental syncs for the records that the run brought or whose role name it
 * changed, after full syncs (`rotate`) for all that lack them and then the rest in rotation (contract: User details). A
 * detail that cannot be read changes nothing and fails no run.
 */
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
  const waiting = [...queue]
  const workers = Array.from({ length: Math.min(concurrency, waiting.length) }, () => work(run, definition, waiting))
  await Promise.all(workers)
}

/** So many listed records are asked for at most before a denied one is believed to be gone. */
const mostControls = 3

/**
 * True when the tenant shows by id what it lists: a route that denies everybody says nothing of a missing record. One
 * look-up of this run that succeeded is enough; where nothing is listed, there is nobody to ask for.
 */
export async function showsListed(run: Run, definition: FeedResource): Promise<boolean> {
  if (run.shownById) return true
  const listed = await run.context.store.listed(run.tenantId, definition.name, mostControls)
  for (const one of listed) {
    await work(run, definition, [one])
    if (run.shownById) return true
  }
  return listed.length === 0
}

async function work(run: Run, definition: FeedResource, waiting: LookUp[]): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    try {
      if (!(await readOne(run, definition, next))) waiting.length = 0
    } catch (error) {
      const reason = reasonOf(error)
      waiting.length = endsAsking.has(reason) ? 0 : waiting.length
      if (endsRun.has(reason)) throw error
      run.context.log.debug({ resource: definition.name, key: next.key, reason }, 'A detail could not be read')
    }
  }
}

/** False when the answer may be another tenant's: no further one is asked for. */
async function readOne(run: Run, definition: FeedResource, one: LookUp): Promise<boolean> {
  const found = await askById(run, definition, one)
  if (found === undefined) return false
  const { item, meta } = found
  if (item === null || !item.ok || idOf(item, definition.idField) !== one.key) return true
  await takeDetail(run, item, meta)
  return true
}
