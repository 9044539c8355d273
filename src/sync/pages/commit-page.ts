import type { Fetched } from '../../api/reader.ts'
import type { CommitCounts } from '../../model/run-result.ts'
import type { FullSyncStep, PageCommit, PageComparison, PageResult, WholeList } from '../../store/port.ts'
import { noteEvent, noteOddities, odditiesOf } from '../contract-events.ts'
import type { Run } from '../run.ts'
import { idTextOf } from './page-rules.ts'

/** What a page changes besides its records. */
export interface PageEffects extends Pick<PageCommit, 'cursor' | 'whole'> {
  readonly fullSync?: Omit<FullSyncStep, 'seen'>
}

/** Writes a page, after a proof if its records require it (docs/internals/sync.md#8-tenant-identity). Throws if it is refused. */
export async function commitPage(run: Run, fetched: Fetched, { fullSync, ...rest }: PageEffects): Promise<void> {
  const { context, guard, state } = run
  const { observer, settings, store } = context
  guard.insist(run)
  noteOddities(run, odditiesOf(run, fetched))
  const { seen } = run
  const page: PageCommit = { ...pageOf(run, fetched), ...rest, ...(fullSync && { fullSync: { ...fullSync, seen } }) }
  let refused: PageComparison | null = null
  let needsProof = false
  const admit = (comparison: PageComparison) => {
    refused = guard.admits(state, comparison, fetched.meta.serverTime) ? null : comparison
    needsProof = refused === null && lacksProof(run, comparison)
    return refused === null && !needsProof
  }
  let result = await store.commitPage(guard.passing ? page : { ...page, admit })
  if (needsProof) {
    const shown = await guard.prove(run)
    run.proven = true
    const { name, idField } = run.definition
    // The proof read a known record beside them.
    const isShown = fetched.items.every((item) => shown.has(`${name} ${idTextOf(item, idField)}`))
    result = await store.commitPage({ ...page, provisional: page.provisional === true && !isShown, admit })
  }
  if (refused !== null) throw await guard.refusePage(refused, run)
  // Only now: a transaction that fails returned nothing.
  if (fullSync !== undefined) seen.add(result.rids)
  for (const key of result.detailDue) if (run.detailsDue.size < settings.userDetails.perRun) run.detailsDue.add(key)
  observer.secretsRotated(settings.name, result.rotated)
  run.relevant += result.relevant
  noteWritten(run, fetched, result)
}

function noteWritten(run: Run, { items, meta }: Fetched, { counts, contradictory }: PageResult): void {
  const { observer, settings } = run.context
  for (const field of contradictory) noteEvent(run, 'contradictory', field)
  run.answered = { serverTime: meta.serverTime, at: meta.receivedAt, monotonic: meta.receivedMonotonic }
  run.pages++
  for (const change of Object.keys(counts) as (keyof CommitCounts)[]) run.counts[change] += counts[change]
  observer.page(settings.name, run.definition.name, run.pages, items.length)
}

/** True for a page of a list of GUIDs without one that identifies the tenant, while no other page of the run had one. */
function lacksProof(run: Run, { known, identifying, unknown }: PageComparison): boolean {
  if (run.definition.identifiedBy !== 'guid' || known + unknown.length === 0) return false
  if (identifying > 0) run.proven = true
  return !run.proven
}

/** Stores that a list in one answer equals the mirror; false, without a write, if it differs. */
export async function confirmList(run: Run, fetched: Fetched, whole: WholeList): Promise<boolean> {
  run.guard.insist(run)
  noteOddities(run, odditiesOf(run, fetched))
  if (fetched.items.length === 0) return false
  const page = { ...pageOf(run, fetched), whole }
  const result = await run.context.store.commitPage({ ...page, admit: ({ differs }) => !differs })
  if (result.admitted) noteWritten(run, fetched, result)
  return result.admitted
}

function pageOf({ tenantId, definition, state, guard }: Run, { items, meta }: Fetched): PageCommit {
  const isLater = state.completeStartedAt !== null
  return {
    tenantId,
    resource: definition.name,
    items,
    at: meta.receivedAt,
    serverTime: meta.serverTime,
    requestId: meta.requestId,
    recordCreations: isLater,
    provisional: definition.identifiedBy === 'guid' && isLater && !guard.tenant.former.includes(definition.name),
  }
}
