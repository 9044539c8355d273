import type { AcceptedHold, OperatorDecision } from '../mirror/port.ts'

/** Those of the decisions that accepted a hold, by its id; also once a run has taken them up. */
export function acceptedHolds(decisions: readonly OperatorDecision[]): ReadonlyMap<string, AcceptedHold> {
  return new Map(decisions.flatMap((one) => (one.accepted === 'hold' ? [[one.id, one] as const] : [])))
}
