import { isFresh } from './freshness.ts'
import type { Reason, UnknownReason } from './reasons.ts'
import type { ResourceName } from './resource-names.ts'
import { isSkewed } from './server-clock.ts'

export interface InputFacts {
  readonly resource: ResourceName
  readonly enabled: boolean
  readonly completeStartedAt: number | null
  readonly freshnessLimitMs: number
  /** True while the local clock is before the newest stored time and no response confirms it: ages are meaningless. */
  readonly clockIsBehind: boolean
  /** Refusal (`unauthorized`, `missing_permission`) since the last success. */
  readonly denied: Reason | null
  readonly tenantMismatch: boolean
  /** True while records may remain from before an operator accepted another tenant. */
  readonly former: boolean
  readonly problems: readonly Reason[]
  readonly quarantined: number
  readonly missing: number
  readonly clockSkewMs: number | null
}

export type ClockState = 'agrees' | 'ahead' | 'behind' | 'unknown'

export interface InputQuality {
  readonly resource: ResourceName
  readonly off: boolean
  /** True once a full sync completed, so that absence is meaningful. */
  readonly everComplete: boolean
  readonly former: boolean
  readonly blocked: UnknownReason | null
  readonly partial: readonly UnknownReason[]
  readonly clock: ClockState
}

export function assessInput(facts: InputFacts, now: number): InputQuality {
  const clock = clockOf(facts.clockSkewMs)
  return {
    resource: facts.resource,
    off: !facts.enabled,
    everComplete: facts.completeStartedAt !== null,
    former: facts.former,
    blocked: blockedBy(facts, now),
    partial: [
      ...(facts.quarantined > 0 ? (['quarantined'] as const) : []),
      ...(facts.problems.includes('shrink_held') ? (['shrink_held'] as const) : []),
      ...(facts.problems.includes('suspect_empty') ? (['suspect_empty'] as const) : []),
      ...(facts.missing > 0 ? (['missing_records'] as const) : []),
      ...(clock === 'behind' ? (['clock_skew'] as const) : []),
    ],
    clock,
  }
}

function clockOf(skewMs: number | null): ClockState {
  if (skewMs === null) return 'unknown'
  if (!isSkewed(skewMs)) return 'agrees'
  return skewMs > 0 ? 'ahead' : 'behind'
}

function blockedBy(facts: InputFacts, now: number): UnknownReason | null {
  if (facts.tenantMismatch) return 'tenant_changed'
  if (facts.denied !== null) return facts.denied
  if (facts.former) return 'tenant_changed'
  if (facts.completeStartedAt === null) return 'never'
  if (facts.clockIsBehind) return 'stale'
  return isFresh(facts.completeStartedAt, facts.freshnessLimitMs, now) ? null : 'stale'
}
