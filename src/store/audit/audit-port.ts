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

/** A deviation at one event. */
export interface EventMismatch {
  /**
   * `event_changed`: it differs from its digest. `chain_broken`: its hash does not continue that of the event before it.
   * `erased_early`: it is empty although no retention reached it.
   */
  readonly what: 'event_changed' | 'chain_broken' | 'erased_early'
  readonly id: number
  readonly at: number
  readonly kind: string
  readonly subject: string
}

/** The last event is not the one at which the chain ends; `at` is null without any event. */
export interface EndMismatch {
  readonly what: 'end_differs'
  /** Of the last event as the chain states it. */
  readonly id: number
  readonly at: number | null
}

/** Findings that differ from their last event. */
export interface FindingsMismatch {
  readonly what: 'findings_missing' | 'findings_inserted' | 'findings_changed'
  readonly count: number
  /** Fingerprint of the first one. */
  readonly fingerprint: string
}

/** Waivers that cover findings although the last change of them is that they lapsed. */
export interface RevivedWaivers {
  readonly what: 'lapses_missing'
  /** Of findings. */
  readonly count: number
  /** Of the first of them. */
  readonly waiver: string
}

/** Check results that differ from the last event of their check. */
export interface ResultsMismatch {
  readonly what: 'results_changed'
  readonly count: number
  /** The first of them. */
  readonly check: string
}

/** An event of the tenant names a configuration that is not in the shared chain. */
export interface ConfigurationMismatch {
  readonly what: 'configuration_missing'
  readonly id: number
  readonly at: number
}

/** Events whose tenant is not in the table of tenants; found with the shared chain. */
export interface EventsWithoutTenant {
  readonly what: 'tenant_missing'
  readonly tenantId: number
  readonly events: number
  /** Of the last event. */
  readonly at: number
}

export type ChainMismatch =
  | EventMismatch
  | EndMismatch
  | FindingsMismatch
  | RevivedWaivers
  | ResultsMismatch
  | ConfigurationMismatch
  | EventsWithoutTenant

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
