import type { TenantSettings } from '../config/settings.ts'
import { fullFreshnessLimitMs } from '../model/freshness.ts'
import { memoize } from '../model/memoize.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import { type ResourceName, resourceNames, type SyncMode } from '../model/resource-names.ts'
import { resources } from '../resources/index.ts'
import type { SyncState } from '../store/port.ts'
import { enabledResources, type TenantContext } from './context.ts'

export interface DueRun {
  readonly resource: ResourceName
  readonly mode: SyncMode
}

/** Runs that are due (docs/internals/sync.md#due): for `run` only late ones, for `sync` all but recent full syncs of feeds. */
export async function dueRuns(context: TenantContext, tenantId: number, command: 'run' | 'sync'): Promise<DueRun[]> {
  const now = context.clock.now()
  const due: DueRun[] = []
  const decided = new Set((await context.store.pendingDecisions(tenantId)).map(({ resource }) => resource))
  for (const { name, kind } of enabledResources(context)) {
    const state = await context.store.syncState(tenantId, name)
    const { incremental, full } = context.settings.resources[name]
    const older = (since: number | null, intervalMs: number) =>
      since === null || since > now || now - since > intervalMs
    const always = command === 'sync'
    if (kind !== 'feed') {
      if (always || older(state.fullSuccessAt, full.intervalMs)) due.push({ resource: name, mode: 'full' })
      continue
    }
    const isDecided = decided.has(name) || decided.has('all')
    const isOld = older(state.fullSuccessAt, full.intervalMs)
    const fullDue = isDecided || isOld || (await context.store.awaitsRemovals(tenantId, name))
    const incrementalDue = always || (incremental !== null && older(state.incrementalSuccessAt, incremental.intervalMs))
    if (incrementalDue && state.cursor !== null) due.push({ resource: name, mode: 'incremental' })
    if (fullDue || (incrementalDue && state.cursor === null)) due.push({ resource: name, mode: 'full' })
  }
  return due
}

/** Runs all in parallel; a resource with `readAfter` waits for the runs of those resources. */
export function runTogether<T>(due: readonly DueRun[], run: (one: DueRun) => Promise<T>): Promise<T[]> {
  const begun: (one: DueRun) => Promise<T> = memoize((one) => {
    const before = readAfter.get(one.resource) ?? []
    const first = due.filter(({ resource }) => before.includes(resource)).map(begun)
    return first.length === 0 ? run(one) : Promise.allSettled(first).then(() => run(one))
  })
  return Promise.all(due.map(begun))
}

const readAfter = new Map(
  resources.flatMap((one: ResourceDefinition) => (one.readAfter === undefined ? [] : [[one.name, one.readAfter]])),
)

/** Resources that are read after this one. */
export function readersAfter(resource: ResourceName): readonly ResourceName[] {
  return [...readAfter].flatMap(([name, before]) => (before.includes(resource) ? [name] : []))
}

/** How long an interrupted full sync may be resumed, in milliseconds; after that its data is too old. */
export function idleLimitMs({ settings }: TenantContext, state: SyncState): number {
  return fullFreshnessLimitMs(settings.resources[state.resource], state.completeDurationMs) / 2
}

export function shortestIntervalMs({ resources }: TenantSettings): number {
  const intervals = Object.values(resources)
    .filter(({ enabled }) => enabled)
    .map(({ incremental, full }) => Math.min(incremental?.intervalMs ?? full.intervalMs, full.intervalMs))
  return Math.min(...intervals)
}

export function enabledNames({ resources }: TenantSettings): readonly ResourceName[] {
  return resourceNames.filter((name) => resources[name].enabled)
}
