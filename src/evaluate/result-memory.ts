import type { DecidedStatus } from '../model/decide-status.ts'

/** Results of checks that do not depend on time, each with the basis it was computed from. */
export interface ResultMemory {
  recall(tenantId: number, check: string, basis: string): DecidedStatus | undefined
  keep(tenantId: number, check: string, basis: string, status: DecidedStatus): void
  forget(tenantId: number, check: string): void
  /** Call after another process committed check results. */
  clear(): void
}

export function resultMemory(): ResultMemory {
  const kept = new Map<string, { readonly basis: string; readonly status: DecidedStatus }>()
  const keyOf = (tenantId: number, check: string) => `${tenantId} ${check}`
  return {
    recall(tenantId, check, basis) {
      const last = kept.get(keyOf(tenantId, check))
      return last?.basis === basis ? last.status : undefined
    },
    keep(tenantId, check, basis, { status, reason }) {
      kept.set(keyOf(tenantId, check), { basis, status: { status, reason } })
    },
    forget: (tenantId, check) => void kept.delete(keyOf(tenantId, check)),
    clear: () => kept.clear(),
  }
}
