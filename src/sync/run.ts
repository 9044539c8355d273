import type { CommitCounts, PageCommit, SyncState } from '../mirror/port.ts'
import { SyncError } from '../model/errors.ts'
import type { SyncMode } from '../model/resource-names.ts'
import type { TenantContext } from './context.ts'
import type { ContractEvent } from './observer.ts'
import type { Fetched, ResourceDefinition } from './resource.ts'
import type { TenantGuard } from './tenant-guard.ts'

/** One run of one resource while it is under way: what every way of running needs and adds to. */
export interface Run {
  readonly context: TenantContext
  readonly tenantId: number
  readonly guard: TenantGuard
  readonly definition: ResourceDefinition
  readonly signal: AbortSignal
  readonly startedAt: number
  /** As it stood when the run began. */
  readonly state: SyncState
  mode: SyncMode
  pages: number
  counts: CommitCounts
  /** Start of the data this run brought, for a resumed walk before the run itself. */
  dataAsOf: number
  reachedEndServerTime: number | null | undefined
  /** Server minus local clock, in milliseconds, by the last answer. */
  skewMs: number | null
  /** Until when the tenant asked to be left alone, also where the run itself does not end by it. */
  blockedUntil: number | null
  readonly events: Set<string>
  /** Key of the last detail that could not be read, kept between runs so that such ones do not block the rest. */
  readonly detailsAfter: { key: number }
  /** To be called when a complete walk of the resource was written. */
  readonly walkCompleted: () => Promise<void>
}

/**
 * Fetches until the answer's identity is one the tenant guard has verified; nothing else may reach the mirror. An answer
 * read under an older identity is asked for again.
 */
export async function fetchVerified(run: Run, fetch: () => Promise<Fetched>, cursor: string | null): Promise<Fetched> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const fetched = await fetch()
    if (fetched.meta.serverTime !== null) run.skewMs = fetched.meta.serverTime - fetched.meta.receivedAt
    const verified = await run.guard.verify(fetched, run.definition, cursor, run.signal)
    if (verified) return fetched
  }
  throw new SyncError('unauthorized', 'The credential keeps changing while the tenant is read')
}

/** Writes one page, guarded against another tenant's data, and takes stock of it. */
export async function commit(
  run: Run,
  fetched: Fetched,
  cursor: string | null,
  rest: Pick<PageCommit, 'walk' | 'cursor' | 'whole'>,
): Promise<void> {
  const { store, observer, settings } = run.context
  const { name } = run.definition
  noteOddities(run, fetched)
  const result = await store.commitPage({
    tenantId: run.tenantId,
    resource: name,
    items: fetched.items,
    at: fetched.meta.receivedAt,
    requestId: fetched.meta.requestId,
    recordCreations: run.state.completeStartedAt !== null,
    ...rest,
    ...run.guard.admission(run.state),
  })
  if (!result.admitted) throw await run.guard.refusePage(name, cursor, fetched.items.length)
  run.pages++
  run.counts = added(run.counts, result.counts)
  observer.fieldsChanged(settings.name, name, result.changedFields)
  observer.page(settings.name, name, run.pages, fetched.items.length)
}

/** Counts a deviation from the contract, once a kind and field and run. */
export function noteEvent(run: Run, kind: ContractEvent, field: string): void {
  const id = `${kind} ${field}`
  if (run.events.has(id)) return
  run.events.add(id)
  const { log, observer, settings } = run.context
  observer.contractEvent(settings.name, run.definition.name, kind)
  log.warn({ resource: run.definition.name, kind, field }, 'The tenant deviates from the known contract')
}

function noteOddities(run: Run, { items }: Fetched): void {
  const { definition, context } = run
  for (const item of items) {
    for (const oddity of item.oddities ?? []) noteEvent(run, oddity.kind, oddity.field)
    if (!item.ok || definition.unknownValues === undefined) continue
    for (const field of definition.unknownValues(item.record, context.settings)) noteEvent(run, 'unknown_value', field)
  }
}

export function added(a: CommitCounts, b: CommitCounts): CommitCounts {
  return {
    created: a.created + b.created,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    removed: a.removed + b.removed,
    quarantined: a.quarantined + b.quarantined,
  }
}

export const noCounts: CommitCounts = { created: 0, updated: 0, unchanged: 0, removed: 0, quarantined: 0 }
