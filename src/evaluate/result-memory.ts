import type { DecidedStatus } from '../model/decide-status.ts'

/** The last check result of each check, with what it hung on; of check results that do not change by time alone. */
export interface ResultMemory {
  /** The check result, if it hung on the same. */
  recall(tenantId: number, check: string, basis: string): DecidedStatus | undefined
  keep(tenantId: number, check: string, basis: string, status: DecidedStatus): void
  forget(tenantId: number, check: string): void
  /** To be called when check results were committed by others than the one who remembers. */
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
