import { reasonOf, SyncError } from '../../model/errors.ts'
import { memoize } from '../../model/memoize.ts'
import type { FeedResource } from '../../model/resource.ts'
import { isKnownWord } from '../../model/text/words.ts'
import type { MissingRecord } from '../../store/port.ts'
import { listedFields, noteEvent } from '../contract-events.ts'
import { askById, type Found, takeDetails } from '../details.ts'
import { endsAsking, endsRun, type Run } from '../run.ts'

/** Records whose look-ups are stored together. */
const batchSize = 50

/** Look-ups that are not stored yet. */
interface Batch {
  readonly asked: number[]
  readonly existing: number[]
  readonly removed: { readonly rid: number; readonly requestId: string | null }[]
}

const emptyBatch = (): Batch => ({ asked: [], existing: [], removed: [] })

/** Looks missing records up by id (docs/internals/sync.md#5-removal); true when a full sync skipped a record that exists. */
export async function confirmMissing(
  run: Run,
  definition: FeedResource,
  { onlyAccepted, removedAt }: { readonly onlyAccepted: boolean; readonly removedAt: number | null },
): Promise<boolean> {
  const { context, tenantId } = run
  const { store, settings, clock, log } = context
  const resource = definition.name
  const limit = settings.removals.confirmPerRun - run.lookUps
  let batch = emptyBatch()
  let isProven = false
  let skipped = false
  const failures: unknown[] = []
  const unlisted = memoize<void, ReturnType<typeof unlistedStates>>(() => unlistedStates(run))
  const save = async () => {
    const removed = await store.saveLookUps({ tenantId, resource, at: clock.now(), ...batch, removedAt })
    run.counts.removed += removed
    batch = emptyBatch()
  }
  for (const record of await store.missing({ tenantId, resource, limit, onlyAccepted })) {
    run.lookUps++
    try {
      const found = await askById(run, definition, record.key)
      // Another tenant's token gets 404 for every id.
      if (found === undefined) break
      batch.asked.push(record.rid)
      const { item } = found
      const isClosed =
        item?.ok === true && (await unlisted()).some(({ field, states }) => isKnownWord(states, item.record[field]))
      if (item === null || isClosed) {
        // The token may have become another tenant's, which knows none of the ids.
        if (!isProven) await run.guard.prove(run)
        isProven = true
        batch.removed.push({ rid: record.rid, requestId: found.meta.requestId })
      } else if (await isSkipped(run, record, found, batch)) skipped = true
    } catch (error) {
      const reason = reasonOf(error)
      if (endsRun.has(reason)) throw error
      if (endsAsking.has(reason)) break
      // Else the same records would be looked up first in each run.
      batch.asked.push(record.rid)
      failures.push(error)
      log.debug({ resource, key: record.key, reason }, 'A missing record could not be confirmed')
    }
    if (batch.asked.length >= batchSize) await save()
  }
  await save()
  logFailures(run, failures)
  return skipped
}

/** States that only the configuration names and in which the list never showed a record: as where it leaves out closed accounts. */
async function unlistedStates({ definition, context, tenantId }: Run) {
  const configured = listedFields(definition, context.settings).map(({ field, known, words }) => {
    return { field, states: known.filter((state) => !isKnownWord(words, state)) }
  })
  const fields = configured.filter(({ states }) => states.length > 0)
  if (fields.length === 0) return fields
  for await (const batch of context.store.records(tenantId).select(definition.name))
    for (const one of fields)
      one.states = one.states.filter((state) => !batch.some(({ fields }) => isKnownWord([state], fields[one.field])))
  return fields
}

/** Takes the answer for a missing record that exists; true if one more full sync must follow. */
async function isSkipped(
  run: Run,
  { rid, key, missingSince, lookedUpAt }: MissingRecord,
  found: Found,
  { existing }: Batch,
): Promise<boolean> {
  noteEvent(run, 'skipped_row', key)
  const [differing] = await takeDetails(run, [found])
  // A record that differs stays missing: the list has not confirmed the mirrored values.
  const isEqual = differing?.length === 0
  if (isEqual) existing.push(rid)
  // Only at the first answer since it is missing.
  return lookedUpAt === null || (isEqual && missingSince < run.startedAt)
}

function logFailures({ context, definition }: Run, failures: readonly unknown[]): void {
  const last = failures.at(-1)
  if (last === undefined) return
  const { message: detail = null, hint = null } = last instanceof SyncError ? last : {}
  context.log.warn(
    { resource: definition.name, count: failures.length, reason: reasonOf(last), detail, hint },
    'Missing records could not be confirmed; they stay',
  )
}
