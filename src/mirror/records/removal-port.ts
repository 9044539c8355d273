import type { ResourceName } from '../../model/resource-names.ts'

/** Every time in this file is in milliseconds since the epoch. */

/** Live records, and quarantined ones without a live version, that a full sync did not show. */
export interface Absence {
  readonly live: number
  /** Absent, ordered by record id; `full syncs` = complete full syncs in a row without it, this one included. */
  readonly absent: readonly AbsentRecord[]
}

export interface BudgetQuery {
  readonly tenantId: number
  readonly resource: ResourceName
  /** Present local time. */
  readonly at: number
  /** Server time of the full sync that asks; null where it could not be read. */
  readonly serverTime: number | null
  /** Local time since when removals are held: removals count from then at least, creations from 24 hours before it. */
  readonly heldSince?: number | null
}

/** What happened in the last 24 hours, or since removals are held. */
export interface RemovalBudget {
  /** Records removed, less those that an operator accepted or that were seen again. */
  readonly removed: number
  /** Records created since, or since the end of the first complete full sync. */
  readonly created: number
}

export interface AbsentRecord {
  /** Negative for a quarantined record without a live version. */
  readonly rid: number
  readonly key: string
  readonly fullSyncs: number
  readonly accepted: boolean
}

/** Records that a full sync showed and that a request by time must return, by whether they were ever updated. */
export interface LeftOut {
  readonly updated: { readonly expected: number; readonly leftOut: number }
  readonly neverUpdated: { readonly expected: number; readonly leftOut: number }
}

export interface FullSyncEnd {
  readonly fullSyncId: number
  readonly at: number
  readonly durationMs: number
  readonly requestId: string | null
  /** The incremental sync cursor to store; undefined leaves the stored one. */
  readonly cursor?: string
  /** Null leaves what is known. */
  readonly reachedEndServerTime: number | null
  /** Records to be tombstoned now. */
  readonly remove: readonly number[]
  /** Records absent from this full sync that stay: their count of absent full syncs grows. */
  readonly absent: readonly number[]
}
