import type { Resolution } from './check-status.ts'
import type { Severity } from './severity.ts'

/** A finding as every output shows it (contract: `findings`); times are ISO 8601 in UTC. */
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
  readonly waiver: string | null
}
