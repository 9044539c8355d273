import { reasonOf, SyncError } from '../../model/errors.ts'
import type { FeedResource } from '../../model/resource.ts'
import type { MissingRecord } from '../../store/port.ts'
import { noteEvent } from '../contract-events.ts'
import { askById, type Found, takeDetails } from '../details.ts'
import { endsAsking, endsRun, type Run } from '../run.ts'
import { timesOf } from './removals.ts'

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
  { onlyAccepted }: { readonly onlyAccepted: boolean },
): Promise<boolean> {
  const { context, tenantId } = run
  const { store, settings, clock, log } = context
  const resource = definition.name
  const limit = settings.removals.confirmPerRun - run.lookUps
  let batch = emptyBatch()
  let isProven = false
  let skipped = false
  const failures: unknown[] = []
  const save = async () => {
    const removedAt = timesOf(run).latest
    run.counts.removed += await store.saveLookUps({ tenantId, resource, at: clock.now(), ...batch, removedAt })
    batch = emptyBatch()
  }
  for (const record of await store.missing({ tenantId, resource, limit, onlyAccepted })) {
    run.lookUps++
    try {
      const found = await askById(run, definition, record.key)
      // Another tenant's token gets 404 for every id.
      if (found === undefined) break
      batch.asked.push(record.rid)
      if (found.item === null) {
        // The token may have become another tenant's, which knows none of the ids.
        if (!isProven) await run.guard.prove(run)
        isProven = true
        batch.removed.push({ rid: record.rid, requestId: found.meta.requestId })
      } else if (await isSkipped(run, record, found, batch)) skipped = true
    } catch (error) {
      const reason = reasonOf(error)
      if (endsRun.has(reason)) throw error
      // Else the same records would be looked up first in each run.
      batch.asked.push(record.rid)
      if (endsAsking.has(reason)) break
      failures.push(error)
      log.debug({ resource, key: record.key, reason }, 'A missing record could not be confirmed')
    }
    if (batch.asked.length >= batchSize) await save()
  }
  await save()
  logFailures(run, failures)
  return skipped
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
