import type { Resolution } from '../../model/check-status.ts'
import { hasAny } from '../../model/severity.ts'
import type { CheckResult, FindingStore, ResolvedFinding } from '../../store/port.ts'
import { noChanges } from '../check-result.ts'

interface CloseFindings {
  readonly now: number
  readonly isKept: (check: string) => boolean
  readonly resolution: Resolution
}

/** Ends the results and findings of the checks that are not to be kept: they are `unknown` as if never evaluated. */
export async function closeFindings(
  store: FindingStore,
  tenantId: number,
  { now, isKept, resolution }: CloseFindings,
): Promise<readonly CheckResult[]> {
  const states = (await store.checkStates(tenantId)).filter(({ check }) => !isKept(check))
  // Without findings, too: a replica that has the check switched on would show a result that nobody renews.
  const closed = states.filter(({ open, status }) => hasAny(open) || status !== 'unknown')
  const results: CheckResult[] = []
  for (const { check } of closed) {
    const resolved: ResolvedFinding[] = []
    for await (const batch of store.openDigests(tenantId, check))
      for (const { fingerprint, severity } of batch) resolved.push({ fingerprint, severity, resolution })
    results.push({ ...nothing, check, resolved })
  }
  if (results.length > 0) await store.saveResults(tenantId, now, { results })
  return results
}

const nothing = {
  status: 'unknown',
  reason: 'never',
  entities: null,
  notEvaluated: null,
  rule: null,
  changesAt: null,
  basis: null,
  open: {},
  problem: null,
  ...noChanges,
} as const

/** Ends the findings of tenants that were removed from the configuration. */
export async function closeTenants(store: FindingStore, removed: readonly string[], now: number): Promise<void> {
  const names = new Set(removed)
  for (const { id, name } of await store.tenants()) {
    if (names.has(name)) await closeFindings(store, id, { now, isKept: () => false, resolution: 'tenant_removed' })
  }
}
