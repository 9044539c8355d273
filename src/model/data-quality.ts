import { isFresh } from './freshness.ts'
import type { Reason, UnknownReason } from './reasons.ts'
import type { ResourceName } from './resource-names.ts'
import { isSkewed } from './server-clock.ts'

/** What is known of one mirrored resource when a check wants to read it. */
export interface InputFacts {
  readonly resource: ResourceName
  readonly enabled: boolean
  /** Start of the last complete full sync in milliseconds since the epoch; null = never. */
  readonly completeStartedAt: number | null
  readonly freshnessLimitMs: number
  /** True while the local clock is earlier than the newest time stored, and no answer has confirmed it: ages mean nothing. */
  readonly clockIsBehind: boolean
  /** The refusal (`unauthorized`, `missing_permission`) that no success followed. */
  readonly denied: Reason | null
  /** True while the mirrored data may be another tenant's. */
  readonly tenantMismatch: boolean
  /** True while the records may be those of a tenant in whose place another one was accepted. */
  readonly former: boolean
  /** Reasons of this resource's other holds, and of its last full sync if that failed. */
  readonly troubles: readonly Reason[]
  readonly quarantined: number
  readonly missing: number
  /** Server clock minus local clock in milliseconds, by the last answer; null = not known. */
  readonly clockSkewMs: number | null
}

/** The server's clock against the local one; `unknown` while no answer told its time. */
export type ClockState = 'agrees' | 'ahead' | 'behind' | 'unknown'

/** How far a check may trust one input now. */
export interface InputQuality {
  readonly resource: ResourceName
  /** Switched off in the configuration: nothing is asked for. */
  readonly off: boolean
  /** True once a full sync was complete: absence means something. */
  readonly everComplete: boolean
  /** True while the records may be another tenant's than those of other inputs: nothing is evaluated by them. */
  readonly former: boolean
  /** Why nothing of it can be trusted; null when it can. */
  readonly blocked: UnknownReason | null
  /** Why some of it cannot, highest severity first. */
  readonly partial: readonly UnknownReason[]
  readonly clock: ClockState
}

/** Reads the facts of an input at `now`; the first reason that blocks wins, the most telling one first. */
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
      ...(facts.troubles.includes('shrink_held') ? (['shrink_held'] as const) : []),
      ...(facts.troubles.includes('suspect_empty') ? (['suspect_empty'] as const) : []),
      ...(facts.missing > 0 ? (['missing_records'] as const) : []),
      // The answer may be an old one.
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
