import { confirmList } from './known-list.ts'
import type { Fetched, WholeResource } from './resource.ts'
import { commit, fetchVerified, type Run } from './run.ts'
import { suspectEmpty } from './suspect-empty.ts'

/**
 * Reads a list or object that one answer holds whole; what it does not show is removed in the same transaction
 * (specification: List roles, List permissions: a failure is a 500, so empty is real).
 */
export async function readWhole(run: Run, definition: WholeResource): Promise<void> {
  run.mode = 'sweep'
  const { context, tenantId, state } = run
  const { store, clock } = context
  const startedAt = clock.now()
  const since = clock.monotonic()
  run.dataAsOf = startedAt
  const fetched = await fetchVerified(run, () => definition.fetch(context.reader, run.signal), {})
  await refuseContradiction(run, definition, fetched)
  const durationMs = Math.round(clock.monotonic() - since)
  const whole = { startedAt, durationMs, serverTime: fetched.meta.serverTime }
  if (!(await confirmList(run, [fetched], { ...whole, reachedEndServerTime: null }))) {
    await commit(run, fetched, {}, { whole })
    await store.liftHold(tenantId, definition.name, 'suspect_empty')
    // What else was accepted is no contradiction once it is written.
    const stays = state.emptyAccepted === 'list' && fetched.items.length === 0
    if (state.emptyAccepted !== null && !stays) {
      await store.noteSync(tenantId, definition.name, { emptyAccepted: null })
    }
  }
  await run.walkCompleted()
}

/** An answer that contradicts the mirror is not written before an operator accepts it. */
async function refuseContradiction(run: Run, { contradiction }: WholeResource, { items }: Fetched): Promise<void> {
  const { context, tenantId, state } = run
  const records = context.store.records(tenantId)
  const found = await contradiction?.({ records, items, ownClientId: context.settings.ownClientId })
  if (found === undefined || found === null || found.emptiness === state.emptyAccepted) return
  throw await suspectEmpty(run, found.emptiness, found)
}
