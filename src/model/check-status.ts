import type { UnknownReason } from './reasons.ts'
import type { ResourceName } from './resource-names.ts'

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

/** A reason for `unknown` only. */
export interface DecidedStatus {
  readonly status: CheckStatus
  readonly reason: UnknownReason | null
}

/** Whether a resource may be believed. */
export interface InputQuality {
  readonly resource: ResourceName
  readonly off: boolean
  /** True once a full sync completed, so that absence is meaningful. */
  readonly everComplete: boolean
  /** True while records may remain from before an operator accepted another tenant. */
  readonly former: boolean
  readonly blocked: UnknownReason | null
  readonly partial: readonly UnknownReason[]
  /** The server's clock beside the local one. */
  readonly clock: 'agrees' | 'ahead' | 'behind' | 'unknown'
}

export interface StatusInput {
  /** What the entities of the check give, now or when they were evaluated. */
  readonly found: DecidedStatus
  readonly inputs: readonly InputQuality[]
  readonly timeBased: boolean
}

/** The first matching rule decides (docs/internals/status.md#check-status). Also applied to stored results, whose inputs age. */
export function decideStatus({ found, inputs, timeBased }: StatusInput): DecidedStatus {
  if (inputs.some((input) => input.off)) return { status: 'not_applicable', reason: null }
  const blocked = inputs.find((input) => input.blocked !== null)?.blocked
  if (blocked) return { status: 'unknown', reason: blocked }
  if (found.status === 'fail') return found
  const partial = inputs.flatMap((input) => input.partial)[0]
  if (partial !== undefined) return { status: 'unknown', reason: partial }
  const mayBeLate = found.status === 'pass' && timeBased && !clocksAgree(inputs)
  return mayBeLate ? { status: 'unknown', reason: 'clock_skew' } : found
}

export function clocksAgree(inputs: readonly InputQuality[]): boolean {
  return inputs.every(({ clock }) => clock === 'agrees')
}
