import { reasonOf, SyncError } from '../../model/errors.ts'
import type { FeedResource } from '../../model/resource.ts'
import type { MissingRecord } from '../../store/port.ts'
import { noteEvent } from '../contract-events.ts'
import { askById, takeDetails } from '../details.ts'
import { idOf } from '../pages/page-rules.ts'
import { endsAsking, endsRun, type Run } from '../run.ts'

/** Records whose look-ups are stored together. */
const batchSize = 50

/** Looks missing records up by id (docs/internals/sync.md#5-removal); true when a full sync skipped a record that exists. */
export async function confirmMissing(
  run: Run,
  definition: FeedResource,
  { onlyAccepted, removedAt }: { readonly onlyAccepted: boolean; readonly removedAt: number | null },
): Promise<boolean> {
  const { context, tenantId } = run
  const { store, settings } = context
  if (definition.lookUp === undefined) return false
  const limit = settings.removals.confirmPerRun - run.lookUps
  const missing = await store.missing({ tenantId, resource: definition.name, limit, onlyAccepted })
  const look = new MissingLookUps(run, definition, removedAt)
  for (const record of missing) {
    run.lookUps++
    if (!(await look.at(record))) break
  }
  await look.end()
  return look.skipped
}

class MissingLookUps {
  readonly #run: Run
  readonly #definition: FeedResource
  readonly #removedAt: number | null
  #asked: number[] = []
  #existing: number[] = []
  #removed: { readonly rid: number; readonly requestId: string | null }[] = []
  #isProven = false
  #failures = 0
  #lastFailure: unknown
  skipped = false

  constructor(run: Run, definition: FeedResource, removedAt: number | null) {
    this.#removedAt = removedAt
    this.#run = run
    this.#definition = definition
  }

  /** False if further look-ups make no sense. */
  async at({ rid, key, missingSince, lookedUpAt }: MissingRecord): Promise<boolean> {
    const { guard, startedAt } = this.#run
    try {
      const found = await askById(this.#run, this.#definition, key)
      // Another tenant's token gets 404 for every id.
      if (found === undefined) return false
      const { item, meta } = found
      this.#asked.push(rid)
      if (item === null) {
        // The token may have become another tenant's, which knows none of the ids.
        if (!this.#isProven) await guard.prove(this.#run)
        this.#isProven = true
        this.#removed.push({ rid, requestId: meta.requestId })
      } else if (String(idOf(item, this.#definition.idField)) === key) {
        noteEvent(this.#run, 'skipped_row', key)
        const [differing] = await takeDetails(this.#run, [found])
        // A record that differs stays missing: the list has not confirmed the mirrored values.
        const isEqual = differing?.length === 0
        if (isEqual) this.#existing.push(rid)
        // Only at the first answer since it is missing.
        this.skipped ||= lookedUpAt === null || (isEqual && missingSince < startedAt)
      }
      if (this.#asked.length >= batchSize) await this.#store()
      return true
    } catch (error) {
      return this.#continuesAfter(error, rid, key)
    }
  }

  #continuesAfter(error: unknown, rid: number, key: string): boolean {
    const reason = reasonOf(error)
    if (endsRun.has(reason)) throw error
    if (endsAsking.has(reason)) return false
    // Else the same records would be looked up first in each run.
    this.#asked.push(rid)
    this.#failures++
    this.#lastFailure = error
    const resource = this.#definition.name
    this.#run.context.log.debug({ resource, key, reason }, 'A missing record could not be confirmed')
    return true
  }

  async #store(): Promise<void> {
    const { context, tenantId } = this.#run
    const resource = this.#definition.name
    const at = context.clock.now()
    const [asked, existing, removed] = [this.#asked, this.#existing, this.#removed]
    this.#asked = []
    this.#existing = []
    this.#removed = []
    const lookUps = { tenantId, resource, at, asked, existing, removed, removedAt: this.#removedAt }
    const count = await context.store.saveLookUps(lookUps)
    this.#run.counts = { ...this.#run.counts, removed: this.#run.counts.removed + count }
  }

  async end(): Promise<void> {
    await this.#store()
    if (this.#failures === 0) return
    const { message: detail = null, hint = null } = this.#lastFailure instanceof SyncError ? this.#lastFailure : {}
    const facts = { reason: reasonOf(this.#lastFailure), detail, hint }
    this.#run.context.log.warn(
      { resource: this.#definition.name, count: this.#failures, ...facts },
      'Missing records could not be confirmed; they stay',
    )
  }
}
