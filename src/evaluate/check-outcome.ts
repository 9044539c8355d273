import type { Resolution } from '../model/check-status.ts'
import type { DecidedStatus } from '../model/decide-status.ts'
import type { Severity } from '../model/severity.ts'

/** Most findings of one check that an outcome names. */
export const mostNamed = 10

export interface FindingTransition {
  readonly fingerprint: string
  readonly kind: 'opened' | 'reopened' | 'resolved'
  readonly severity: Severity
  readonly resolution: Resolution | null
}

/** What an evaluation changed about a check. */
export interface CheckOutcome extends DecidedStatus {
  readonly check: string
  /** First instant at which time alone changes the result, in milliseconds since the epoch; null = never. */
  readonly changesAt: number | null
  readonly opened: number
  readonly resolved: Readonly<Partial<Record<Resolution, number>>>
  /** The first of them. */
  readonly transitions: readonly FindingTransition[]
  /** The first findings that count again, because a waiver lapsed. */
  readonly lapsed: readonly { readonly fingerprint: string; readonly waiver: string }[]
}
