import type { CheckStatus, Resolution } from '../../model/check-status.ts'
import type { UnknownReason } from '../../model/reasons.ts'
import { hasAny } from '../../model/severity.ts'
import type { CheckResult, FindingStore, ResolvedFinding } from '../../store/port.ts'
import type { CheckOutcome } from '../check-outcome.ts'
import { outcomeOf } from '../check-result.ts'

export interface CloseFindings {
  readonly store: FindingStore
  readonly tenantId: number
  readonly now: number
  readonly keep: ReadonlySet<string>
  readonly ending: {
    readonly status: CheckStatus
    readonly reason: UnknownReason | null
    readonly resolution: Resolution
  }
}

/** Ends the results and findings of the checks that are not to be kept. */
export async function closeFindings(request: CloseFindings): Promise<readonly CheckOutcome[]> {
  const { store, tenantId, now, keep, ending } = request
  const { resolution, ...status } = ending
  const states = (await store.checkStates(tenantId)).filter(({ check }) => !keep.has(check))
  // Without findings, too: a replica that has the check switched on would show a result that nobody renews.
  const closed = states.filter((state) => hasAny(state.open) || state.status !== ending.status)
  const results: CheckResult[] = []
  for (const check of closed.map((state) => state.check).sort()) {
    const resolved: ResolvedFinding[] = []
    for await (const batch of store.openDigests(tenantId, check))
      for (const { fingerprint, severity } of batch) resolved.push({ fingerprint, severity, resolution })
    results.push({ ...nothing, check, ...status, resolved })
  }
  if (results.length > 0) await store.saveResults(tenantId, now, { results })
  return results.map((result) => outcomeOf(result, null))
}

const nothing = {
  entities: null,
  notEvaluated: null,
  rule: null,
  validUntil: null,
  open: {},
  written: [],
  waivers: { accepted: [], lapsed: [] },
  problem: null,
} as const

export function closeTenant(store: FindingStore, tenantId: number, now: number): Promise<readonly CheckOutcome[]> {
  const ending = { status: 'unknown', reason: 'never', resolution: 'tenant_removed' } as const
  return closeFindings({ store, tenantId, now, keep: new Set(), ending })
}

/** Ends the findings of tenants that were removed from the configuration. */
export async function closeTenants(
  store: FindingStore,
  removed: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, readonly CheckOutcome[]>> {
  const outcomes = new Map<string, readonly CheckOutcome[]>()
  const names = new Set(removed)
  for (const { id, name } of await store.tenants()) {
    if (names.has(name)) outcomes.set(name, await closeTenant(store, id, now))
  }
  return outcomes
}
