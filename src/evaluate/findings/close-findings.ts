import type { CheckStatus, Resolution } from '../../model/check-status.ts'
import type { UnknownReason } from '../../model/reasons.ts'
import { hasAny } from '../../model/severity.ts'
import type { FindingStore } from '../../store/port.ts'
import type { CheckOutcome } from '../evaluation.ts'

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

export async function closeFindings(request: CloseFindings): Promise<readonly CheckOutcome[]> {
  const { store, tenantId, now, keep, ending } = request
  const states = (await store.checkStates(tenantId)).filter(({ check }) => !keep.has(check))
  const outcomes: CheckOutcome[] = []
  // Without findings, too: a replica that has the check switched on would show a result that nobody renews.
  const shown = states.filter((state) => hasAny(state.open) || state.status !== ending.status)
  for (const check of shown.map((state) => state.check).sort()) {
    const { resolution, ...status } = ending
    const checkResult = {
      tenantId,
      check,
      at: now,
      decide: () => status,
      entities: null,
      rule: null,
      failing: [],
      resolve: async () => resolution,
    }
    outcomes.push({ check, ...(await store.commitResult(checkResult)) })
  }
  return outcomes
}

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
