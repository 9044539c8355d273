import type { CheckOutcome } from './check-outcome.ts'

/** Results of this process: a check is evaluated again when its basis changes or the time comes. */
export interface ResultMemory {
  /** @param basis identifies all inputs except the time. */
  recall(tenantId: number, check: string, basis: string, now: number): CheckOutcome | undefined
  keep(tenantId: number, basis: string, outcome: CheckOutcome, now: number): void
  forget(tenantId: number, check: string): void
}

interface Remembered {
  readonly basis: string
  readonly outcome: CheckOutcome
  readonly at: number
}

export function resultMemory(): ResultMemory {
  const kept = new Map<string, Remembered>()
  const keyOf = (tenantId: number, check: string) => `${tenantId} ${check}`
  return {
    recall(tenantId, check, basis, now) {
      const last = kept.get(keyOf(tenantId, check))
      if (last?.basis !== basis || now < last.at) return undefined
      return now < (last.outcome.changesAt ?? Number.POSITIVE_INFINITY) ? last.outcome : undefined
    },
    keep(tenantId, basis, outcome, at) {
      kept.set(keyOf(tenantId, outcome.check), {
        basis,
        outcome: { ...outcome, opened: 0, resolved: {}, transitions: [], lapsed: [] },
        at,
      })
    },
    forget: (tenantId, check) => void kept.delete(keyOf(tenantId, check)),
  }
}
