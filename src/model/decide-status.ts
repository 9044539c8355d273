import type { CheckStatus } from './check-status.ts'
import type { InputTrust } from './input-trust.ts'
import type { UnknownReason } from './reasons.ts'

/** What a check says of the mirrored records alone, before anyone asks how far they can be trusted. */
export type Judgement =
  | { readonly kind: 'fails' }
  | { readonly kind: 'unjudged'; readonly reason: UnknownReason }
  | { readonly kind: 'not_applicable' }
  | { readonly kind: 'passes' }

export interface StatusQuestion {
  readonly judgement: Judgement
  /** The check's inputs: what it judges first, then what it needs. */
  readonly inputs: readonly InputTrust[]
  readonly timeBased: boolean
}

export interface DecidedStatus {
  readonly status: CheckStatus
  /** Set exactly when the status is `unknown`. */
  readonly reason: UnknownReason | null
}

/** The status of a check, first match (contract: Status). The same rule judges anew and ages a stored verdict. */
export function decideStatus({ judgement, inputs, timeBased }: StatusQuestion): DecidedStatus {
  if (inputs.some((input) => input.off)) return { status: 'not_applicable', reason: null }
  const blocked = inputs.find((input) => input.blocked !== null)?.blocked
  if (blocked) return { status: 'unknown', reason: blocked }
  if (judgement.kind === 'fails') return { status: 'fail', reason: null }
  const partial = inputs.flatMap((input) => input.partial)[0]
  if (partial !== undefined) return { status: 'unknown', reason: partial }
  switch (judgement.kind) {
    case 'unjudged':
      return { status: 'unknown', reason: judgement.reason }
    case 'not_applicable':
      return { status: 'not_applicable', reason: null }
    case 'passes':
      return timeBased && !clocksAgree(inputs)
        ? { status: 'unknown', reason: 'clock_skew' }
        : { status: 'pass', reason: null }
    default:
      return judgement satisfies never
  }
}

/** True when the time of every input is known and agrees with the local clock. */
export function clocksAgree(inputs: readonly InputTrust[]): boolean {
  return inputs.every(({ clock }) => clock === 'agrees')
}

/** The judgement that a stored status stands for. */
export function judgementOf(stored: DecidedStatus): Judgement {
  switch (stored.status) {
    case 'fail':
      return { kind: 'fails' }
    case 'not_applicable':
      return { kind: 'not_applicable' }
    case 'pass':
      return { kind: 'passes' }
    case 'unknown':
      return { kind: 'unjudged', reason: stored.reason ?? 'internal' }
    default:
      return stored.status satisfies never
  }
}
