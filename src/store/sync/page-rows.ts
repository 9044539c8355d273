import type { ResourceName } from '../../model/resource-names.ts'

/** Every time in this file is in milliseconds since the epoch. */

export type Fields = Readonly<Record<string, unknown>>

export type Incoming =
  | { readonly ok: true; readonly record: Fields; readonly extra: Fields | null }
  | { readonly ok: false; readonly id: string | number | null; readonly raw: unknown; readonly problem: string }

/** An answer by id. */
export interface DetailAnswer {
  readonly item: Incoming
  readonly at: number
  readonly requestId: string | null
}

export interface DetailResult {
  /** True if the detail was stored. */
  readonly supplied: boolean
  /** Fields in which the answer differs from the mirror; null if they cannot be compared. */
  readonly differing: readonly string[] | null
}

export interface CommitCounts {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly removed: number
  readonly quarantined: number
}

export const noCounts: CommitCounts = { created: 0, updated: 0, unchanged: 0, removed: 0, quarantined: 0 }

export interface PageComparison {
  readonly known: number
  /** `key` is null without a readable id, `createdAt` if the record has none. */
  readonly unknown: readonly { readonly key: string | null; readonly createdAt: number | null }[]
}

export interface PageCommit {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly items: readonly Incoming[]
  readonly at: number
  readonly requestId: string | null
  /** The full sync of the page, or the one beside an incremental page; it counts the page's records as returned. */
  readonly fullSync?: FullSyncStep
  readonly cursor?: string | null
  /** Set for an unpaginated list or a singleton: records that it lacks are removed in the same transaction. */
  readonly whole?: WholeList
  /** True once a full sync has completed: later creations are history. */
  readonly recordCreations: boolean
  readonly admit?: (comparison: PageComparison) => boolean
}

export interface WholeList {
  readonly startedAt: number
  readonly durationMs: number
  readonly serverTime: number | null
}

export interface FullSyncStep {
  readonly id: number
  /** Absent for an incremental sync beside the full sync. */
  readonly advance?: FullSyncAdvance
}

export interface FullSyncAdvance {
  readonly nextCursor: string | null
  /** Digest of the page's next cursor, to detect a repeated one. */
  readonly cursorDigest: string | null
  readonly reachedEnd: boolean
  readonly fullSyncMs: number
  readonly start?: { readonly serverTime: number | null; readonly requestId: string | null }
}

export interface PageResult {
  readonly admitted: boolean
  readonly counts: CommitCounts
  /** Number of records, by date field, whose date moved to a later instant. */
  readonly laterDates: Readonly<Record<string, number>>
  /** Fields in which records with the same id contradict each other; such records are quarantined. */
  readonly contradictory: readonly string[]
  /** Keys of records whose detail is unknown since this page. */
  readonly detailDue: readonly string[]
}

export interface LookUp {
  readonly rid: number
  readonly key: string
}

export interface MissingRecord extends LookUp {
  readonly fullSyncs: number
  /** When it was first missing, or missing again after an answer by id, in milliseconds since the epoch. */
  readonly missingSince: number
}

export interface MissingQuery {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly limit: number
  readonly onlyAccepted: boolean
}

/** Records that a full sync did not return. */
export interface Absence {
  readonly live: number
  /** Ordered by record id; `fullSyncs` includes this full sync. */
  readonly absent: readonly AbsentRecord[]
}

export interface Removal {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly at: number
  /** Server time for the shrink guard; null if nobody knows the time. */
  readonly removedAt: number | null
  readonly requestId: string | null
}

export interface BudgetQuery {
  readonly tenantId: number
  readonly resource: ResourceName
  /** Server time; null if nobody knows the time. */
  readonly now: number | null
  /** Start of a hold on removals: creations count from 24 hours before it, so that new records do not end it. */
  readonly heldSince?: number | null
}

/** Numbers of the last 24 hours. */
export interface RemovalBudget {
  /** Without accepted removals and records that were returned again. */
  readonly removed: number
  /** Counted after the end of the first complete full sync only. */
  readonly created: number
}

export interface AbsentRecord {
  readonly rid: number
  readonly key: string
  readonly fullSyncs: number
  readonly accepted: boolean
}

export interface FullSyncEnd {
  readonly fullSyncId: number
  readonly at: number
  readonly durationMs: number
  readonly requestId: string | null
  /** Incremental cursor to store; undefined keeps the stored one. */
  readonly cursor?: string
  readonly reachedEndServerTime: number | null
  /** See `Removal`. */
  readonly removedAt: number | null
  readonly remove: readonly number[]
  readonly absent: readonly number[]
}
