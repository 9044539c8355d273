/** An event of a chain. Times are in milliseconds since the epoch. */
export interface ChainHead {
  readonly id: number
  readonly at: number
  readonly hash: string
}

export interface FoundHead extends ChainHead {
  /** Number of events of the chain after it. */
  readonly later: number
}

/** A deviation at one event (docs/evidence.md#proof-against-changes). */
export interface EventMismatch {
  readonly what: 'event_changed' | 'chain_broken' | 'erased_early' | 'configuration_missing'
  readonly id: number
  readonly at: number
  readonly kind: string
  readonly subject: string
}

/** Present states that differ from their last event; `first` is the fingerprint, check or waiver of one. */
export interface StateMismatch {
  readonly what: 'findings_missing' | 'findings_inserted' | 'findings_changed' | 'results_changed' | 'lapses_missing'
  readonly count: number
  readonly first: string
}

export type ChainMismatch =
  | EventMismatch
  | StateMismatch
  /** `id`: of the last event as the chain states it; `at`: of the last one that there is, null without any. */
  | { readonly what: 'end_differs'; readonly id: number; readonly at: number | null }
  /** Found with the shared chain; `at`: of the last event. */
  | { readonly what: 'tenant_missing'; readonly tenantId: number; readonly events: number; readonly at: number }

export interface ChainVerification {
  readonly events: number
  /** Events that retention emptied. */
  readonly erased: number
  readonly firstAt: number | null
  readonly head: ChainHead | null
  /** The events of the chain with the given hashes. */
  readonly heads: readonly FoundHead[]
  readonly mismatches: readonly ChainMismatch[]
}

export interface AuditStore {
  /** Compares the events of a tenant with their hash chain, and the present state with its last events. */
  verifyChain(tenantId: number, heads?: readonly string[]): Promise<ChainVerification>
}
