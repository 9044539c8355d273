import { isDeepStrictEqual } from 'node:util'
import { type Outcome, ok } from '../../evaluate/check.ts'
import type { AcceptedState } from '../../evaluate/decisions.ts'
import { toIso } from '../../model/dates.ts'

export interface Expectation {
  readonly expected: unknown
  readonly expectedFrom: string
  /** Time and reason of the acceptance by an operator; absent otherwise. */
  readonly acceptedAt?: string
  readonly acceptedFor?: string
}

/** A state without a reason is the first one mirrored; one with a reason was accepted by an operator. */
export function expectationFrom({ state, at, reason }: AcceptedState): Expectation {
  if (reason === null) return { expected: state, expectedFrom: 'first state mirrored' }
  return { expected: state, expectedFrom: 'state last accepted', acceptedAt: toIso(at), acceptedFor: reason }
}

/** Assumption without a baseline: the first mirrored state passes, which nobody approved. Null with a baseline. */
export function assumesFirstState({ baseline }: { readonly baseline: object }): string | null {
  return Object.keys(baseline).length > 0
    ? null
    : 'No baseline is configured: the state first mirrored counts until an operator accepts another one'
}

/** Outcome of a state without drift. An open finding then ends as `rule_changed` if an operator accepted that state since. */
export function withoutDrift(accepted: AcceptedState | undefined, present: unknown): Outcome {
  const isAccepted =
    accepted !== undefined && accepted.reason !== null && isDeepStrictEqual(accepted.state, present ?? null)
  return isAccepted ? { kind: 'ok', acceptedAt: toIso(accepted.at) } : ok
}
