import type { AcceptedHold, OperatorDecision } from '../store/port.ts'

/** Decisions that accepted a hold, by its id, also after a run has applied them. */
export function acceptedHolds(decisions: readonly OperatorDecision[]): ReadonlyMap<string, AcceptedHold> {
  return new Map(decisions.flatMap((one) => (one.accepted === 'hold' ? [[one.id, one] as const] : [])))
}
