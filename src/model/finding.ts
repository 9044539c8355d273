import type { Resolution } from './check-status.ts'
import type { Severity } from './severity.ts'

/** A finding as every output shows it (docs/operations.md#findings-for-other-systems); times are ISO 8601 in UTC. */
export interface FindingView {
  readonly fingerprint: string
  readonly tenant: string
  readonly check: string
  readonly entity: { readonly type: string; readonly id: string }
  readonly severity: Severity
  readonly state: 'open' | 'waived' | 'resolved'
  readonly message: string
  readonly evidence: Readonly<Record<string, unknown>>
  readonly firstSeen: string
  readonly lastSeen: string
  readonly resolvedAt: string | null
  readonly resolution: Resolution | null
  readonly reopened: number
  /** The waiver that covers the finding or, where none does, one that no longer does. */
  readonly waiver: WaiverMark | null
}

/** A finding as metrics show it: nothing of it names a person, an e-mail or a file. */
export interface NamedFinding {
  readonly check: string
  readonly severity: Severity
  readonly entityType: string
  /** Empty where the id itself may be such a name. */
  readonly entityId: string
  readonly fingerprint: string
}

/** How a waiver stands to one finding. */
export interface WaiverMark {
  readonly id: string
  readonly owner: string
  readonly reason: string
  /** The last day on which it counts, YYYY-MM-DD in UTC. */
  readonly expires: string
  readonly state: 'active' | 'expired' | 'lapsed'
  /** One sentence of why it no longer covers the finding; null while it does. */
  readonly explanation: string | null
}
