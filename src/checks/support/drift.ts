import { isDeepStrictEqual } from 'node:util'
import type { Scope } from '../../evaluate/check.ts'
import type { AcceptedState } from '../../mirror/port.ts'
import { toIso } from '../../model/dates.ts'

/** Said of what the configuration names: only there can it be changed. */
export const configuredBaseline = 'accepted baseline'

/** Where drift is measured from. */
export interface Expectation {
  readonly expected: unknown
  readonly expectedFrom: string
  /** When and why an operator accepted it; null otherwise. */
  readonly acceptedAt?: string
  readonly acceptedFor?: string
}

/** The expectation that an accepted state makes: an operator's, or the first that was seen. */
export function expectationFrom({ state, at, reason }: AcceptedState): Expectation {
  if (reason === null) return { expected: state, expectedFrom: 'first state mirrored' }
  return { expected: state, expectedFrom: 'state last accepted', acceptedAt: toIso(at), acceptedFor: reason }
}

/** How an entity that does not drift stands: by itself, or because an operator accepted what it is now. */
export function scopeOfDrift(accepted: AcceptedState | undefined, present: unknown): Scope {
  return accepted !== undefined && accepted.reason !== null && isDeepStrictEqual(accepted.state, present)
    ? 'accepted'
    : 'evaluated'
}
