import type { Fetched } from '../../api/reader.ts'
import { SyncError } from '../../model/errors.ts'
import type { WholeResource } from '../../model/resource.ts'
import { commitPage } from '../pages/commit-page.ts'
import { differingAnswer, guidsCount } from '../pages/confirm-answer.ts'
import { fetchPage, type Run } from '../run.ts'
import { contradictionOf } from './contradiction.ts'
import { confirmList } from './known-list.ts'
import { suspectEmpty } from './suspect-empty.ts'

/** Consecutive answers that may differ before the run fails. */
const mostReads = 3

/** Reads a list that comes in one answer and removes absent records with it (docs/api.md#empty-lists). */
export async function readWhole(run: Run, definition: WholeResource): Promise<void> {
  run.mode = 'full'
  const { context, tenantId, state } = run
  const { store, clock } = context
  const startedAt = clock.now()
  const since = clock.monotonic()
  run.dataAsOf = startedAt
  const read = () => fetchPage(run, {})
  let fetched = await read()
  for (let reads = 1; ; reads++) {
    await refuseContradiction(run, definition, fetched)
    const durationMs = Math.round(clock.monotonic() - since)
    const whole = { startedAt, durationMs, serverTime: fetched.meta.serverTime }
    if (await confirmList(run, [fetched], { ...whole, reachedEndServerTime: null })) break
    const provable = state.completeStartedAt !== null || (await guidsCount(run))
    const other = provable ? await differingAnswer(run, fetched, read) : null
    if (other === null) {
      await commitPage(run, fetched, {}, { whole })
      await store.liftHold(tenantId, definition.name, 'suspect_empty')
      // Any other acceptance is used up once the answer is written.
      const stays = state.emptyAccepted === 'list' && fetched.items.length === 0
      if (state.emptyAccepted !== null && !stays) {
        await store.noteSync(tenantId, definition.name, { emptyAccepted: null })
      }
      break
    }
    if (reads === mostReads) throw new SyncError('protocol', `The answers of ${definition.name} keep changing`)
    fetched = other
  }
  await run.fullSyncCompleted()
}

async function refuseContradiction(run: Run, definition: WholeResource, { items }: Fetched): Promise<void> {
  const found = await contradictionOf(run, definition, items)
  if (found === null || found.emptiness === run.state.emptyAccepted) return
  throw await suspectEmpty(run, found.emptiness, found)
}
