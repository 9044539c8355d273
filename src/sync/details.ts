import pMap from 'p-map'
import type { AnyRecord, Lookup } from '../api/reader.ts'
import { reasonOf } from '../model/errors.ts'
import type { FeedResource } from '../model/resource.ts'
import { noteEvent, noteOddities } from './contract-events.ts'
import { endsAsking, endsRun, type Run } from './run.ts'

/** Details that are stored together. */
const batchSize = 50

/** Reads details (docs/internals/sync.md#16-details) of new and changed records, then, after a full sync, in rotation (`rotate`). */
export async function readDetails(run: Run, definition: FeedResource, rotate: boolean): Promise<void> {
  const { context, tenantId, detailsDue } = run
  const { perRun, concurrency } = context.settings.userDetails
  if (definition.lookUp === undefined) return
  const left = perRun - detailsDue.size
  const next = rotate && left > 0 ? await context.store.nextDetails(tenantId, definition.name, left) : []
  // The rotation begins after those that the first full sync reads.
  if (rotate && left <= 0 && run.state.detailsAfter === null)
    await context.store.noteSync(tenantId, definition.name, { detailsAfter: [...detailsDue].sort().at(-1) })
  const queue = [...new Set([...detailsDue, ...next])]
  let goesOn = true
  let done = 0
  const answered: string[] = []
  for (let at = 0; at < queue.length; at += batchSize) {
    const found: Found[] = []
    const read = async (key: string) => {
      if (!goesOn) return
      const answer = await readOne(run, definition, key)
      if (answer === 'end') goesOn = false
      else if (answer !== null) found.push(answer)
      if (goesOn && !detailsDue.has(key)) answered.push(key)
      context.observer.lookedUp(context.settings.name, definition.name, ++done, queue.length)
    }
    await pMap(queue.slice(at, at + batchSize), read, { concurrency })
    await takeDetails(run, found)
  }
  // Else a tenant that answers few look-ups a run would never be asked for the others.
  const detailsAfter = answered.at(-1)
  if (!goesOn && detailsAfter !== undefined) await context.store.noteSync(tenantId, definition.name, { detailsAfter })
}

export type Found = Lookup<AnyRecord>

/** Null without a record; `end` if further look-ups make no sense: they would fail alike, or ask another tenant. */
async function readOne(run: Run, definition: FeedResource, key: string): Promise<Found | 'end' | null> {
  try {
    return (await askById(run, definition, key)) ?? 'end'
  } catch (error) {
    const reason = reasonOf(error)
    if (endsRun.has(reason)) throw error
    run.context.log.debug({ resource: definition.name, key, reason }, 'A detail could not be read')
    return endsAsking.has(reason) ? 'end' : null
  }
}

/** Looks up a record by id; undefined if the answer may be another tenant's. */
export async function askById(run: Run, definition: FeedResource, key: string): Promise<Found | undefined> {
  const found = await run.context.reader.fetchOne(definition, Number(key), run.signal)
  if (!run.guard.covers(found.meta.identity, run)) return undefined
  noteOddities(run, found.meta.oddities)
  return found
}

/** Stores details of answers by id. For other fields the list counts; resolves with those that differ, by answer. */
export async function takeDetails(run: Run, found: readonly Found[]): Promise<readonly (readonly string[] | null)[]> {
  const { context, tenantId, definition } = run
  const answers = found.flatMap(({ item, meta: { receivedAt: at, requestId } }) => {
    return item === null ? [] : [{ item, at, requestId }]
  })
  if (answers.length === 0) return []
  for (const { item } of answers) noteOddities(run, item.ok ? item.oddities : [])
  const differing = await context.store.saveDetails(tenantId, definition.name, answers)
  for (const fields of differing) for (const field of fields ?? []) noteEvent(run, 'detail_differs', field)
  return differing
}
