import type { CommittedResult } from '../store/port.ts'

type Result = Pick<CommittedResult, 'status' | 'reason' | 'validUntil'>

/** From and until, inclusive, in milliseconds since the epoch. */
export interface Validity {
  readonly from: number
  readonly until: number
}

/** Check results, each with its basis (`basisOf`) and the time in which that basis gives the same result. */
export interface ResultMemory {
  recall(tenantId: number, check: string, basis: string, now: number): Result | undefined
  keep(tenantId: number, check: string, basis: string, result: Result, validity: Validity): void
  forget(tenantId: number, check: string): void
}

export function resultMemory(): ResultMemory {
  const kept = new Map<string, { readonly basis: string; readonly result: Result } & Validity>()
  const keyOf = (tenantId: number, check: string) => `${tenantId} ${check}`
  return {
    recall(tenantId, check, basis, now) {
      const last = kept.get(keyOf(tenantId, check))
      return last?.basis === basis && last.from <= now && now <= last.until ? last.result : undefined
    },
    keep(tenantId, check, basis, { status, reason, validUntil }, validity) {
      const result = { status, reason, ...(validUntil !== undefined && { validUntil }) }
      kept.set(keyOf(tenantId, check), { basis, result, ...validity })
    },
    forget: (tenantId, check) => void kept.delete(keyOf(tenantId, check)),
  }
}
