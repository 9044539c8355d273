import { SyncError } from '../model/errors.ts'
import { commit } from './commit-page.ts'
import { differingAnswer } from './confirm-answer.ts'
import { confirmList } from './known-list.ts'
import type { WholeResource } from './resource.ts'
import { fetchVerified, type Run } from './run.ts'

/** Answers in a row that may differ before the run fails. */
const mostReads = 3

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
  const read = () => fetchVerified(run, () => definition.fetch(context.reader, run.signal), {})
  let fetched = await read()
  for (let reads = 1; ; reads++) {
    const empty = fetched.items.length === 0
    if (empty && !state.emptyAccepted) await refuseContradiction(run, definition)
    const durationMs = Math.round(clock.monotonic() - since)
    const whole = { startedAt, durationMs, serverTime: fetched.meta.serverTime }
    if (await confirmList(run, [fetched], { ...whole, reachedEndServerTime: null })) break
    const other = state.completeStartedAt === null ? null : await differingAnswer(run, fetched, read)
    if (other === null) {
      await commit(run, fetched, {}, { whole })
      await store.liftHold(tenantId, definition.name, 'suspect_empty')
      if (!empty && state.emptyAccepted) await store.noteSync(tenantId, definition.name, { emptyAccepted: false })
      break
    }
    if (reads === mostReads) throw new SyncError('protocol', `The answers of ${definition.name} keep changing`)
    fetched = other
  }
  await run.walkCompleted()
}

async function refuseContradiction({ context, tenantId }: Run, { name, emptyContradiction }: WholeResource) {
  const { store, clock } = context
  const contradiction = await emptyContradiction?.(store.records(tenantId))
  if (contradiction === undefined || contradiction === null) return
  const message = `The list of ${name} is empty although ${contradiction}`
  const count = await store.liveCount(tenantId, name)
  const hold = { tenantId, resource: name, reason: 'suspect_empty', count, message, cause: {} } as const
  await store.raiseHold({ ...hold, at: clock.now() })
  throw new SyncError('suspect_empty', message, { hint: 'If the list is really empty, see "tenantwatch accept"' })
}
