import type { InputQuality } from './data-quality.ts'
import type { UnknownReason } from './reasons.ts'

export const checkStatuses = ['fail', 'not_applicable', 'pass', 'unknown'] as const

export type CheckStatus = (typeof checkStatuses)[number]

export const resolutions = [
  'fixed',
  'clock_corrected',
  'entity_removed',
  'not_applicable',
  'rule_changed',
  'check_disabled',
  'tenant_removed',
] as const

export type Resolution = (typeof resolutions)[number]

export type RawResult =
  | { readonly kind: 'fails' }
  | { readonly kind: 'unevaluated'; readonly reason: UnknownReason }
  | { readonly kind: 'not_applicable' }
  | { readonly kind: 'passes' }

export interface StatusInput {
  readonly rawResult: RawResult
  readonly inputs: readonly InputQuality[]
  readonly timeBased: boolean
}

export interface DecidedStatus {
  readonly status: CheckStatus
  readonly reason: UnknownReason | null
}

/** The first matching rule decides (docs/internals/status.md#check-status). Also applied to stored results, whose inputs age. */
export function decideStatus({ rawResult, inputs, timeBased }: StatusInput): DecidedStatus {
  if (inputs.some((input) => input.off)) return { status: 'not_applicable', reason: null }
  const blocked = inputs.find((input) => input.blocked !== null)?.blocked
  if (blocked) return { status: 'unknown', reason: blocked }
  if (rawResult.kind === 'fails') return { status: 'fail', reason: null }
  const partial = inputs.flatMap((input) => input.partial)[0]
  if (partial !== undefined) return { status: 'unknown', reason: partial }
  switch (rawResult.kind) {
    case 'unevaluated':
      return { status: 'unknown', reason: rawResult.reason }
    case 'not_applicable':
      return { status: 'not_applicable', reason: null }
    case 'passes':
      return timeBased && !clocksAgree(inputs)
        ? { status: 'unknown', reason: 'clock_skew' }
        : { status: 'pass', reason: null }
    default:
      return rawResult satisfies never
  }
}

export function clocksAgree(inputs: readonly InputQuality[]): boolean {
  return inputs.every(({ clock }) => clock === 'agrees')
}

export function rawResultOf(stored: DecidedStatus): RawResult {
  switch (stored.status) {
    case 'fail':
      return { kind: 'fails' }
    case 'not_applicable':
      return { kind: 'not_applicable' }
    case 'pass':
      return { kind: 'passes' }
    case 'unknown':
      return { kind: 'unevaluated', reason: stored.reason ?? 'internal' }
    default:
      return stored.status satisfies never
  }
}
