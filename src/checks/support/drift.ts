import { type Outcome, ok } from '../../evaluate/check.ts'
import type { AcceptedState } from '../../evaluate/decisions.ts'
import { configuredBaseline } from '../../evaluate/findings/identity.ts'
import { toIso } from '../../model/time.ts'

export interface Expectation {
  readonly expected: unknown
  readonly expectedFrom: string
  /** Time and reason of the acceptance by an operator; absent otherwise. */
  readonly acceptedAt?: string
  readonly acceptedFor?: string
}

/**
 * The configured state, else the accepted one, else the first one mirrored. An accepted state without a reason is the first
 * one that was mirrored.
 *
 * @param configured undefined = none
 */
export function expectationOf(configured: unknown, accepted: AcceptedState | undefined, first: unknown): Expectation {
  if (configured !== undefined) return { expected: configured, expectedFrom: configuredBaseline }
  const { state = first, at = 0, reason = null } = accepted ?? {}
  if (reason === null) return { expected: state, expectedFrom: 'first state mirrored' }
  return { expected: state, expectedFrom: 'state last accepted', acceptedAt: toIso(at), acceptedFor: reason }
}

/** Assumption without a baseline: the first mirrored state passes, which nobody approved. Null with a baseline. */
export function assumesFirstState({ baseline }: { readonly baseline: object }): string | null {
  return Object.keys(baseline).length > 0
    ? null
    : 'No baseline is configured: the state first mirrored counts until an operator accepts another one'
}

/** Outcome of the expected state. An open finding then ends as `rule_changed` if an operator accepted that state since. */
export function withoutDrift({ acceptedAt }: Expectation): Outcome {
  return acceptedAt === undefined ? ok : { kind: 'ok', acceptedAt }
}
