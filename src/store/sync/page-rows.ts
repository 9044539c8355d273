import type { ResourceName } from '../../model/resource-names.ts'

/** Every time in this file is in milliseconds since the epoch. */

export type Fields = Readonly<Record<string, unknown>>

export type Incoming =
  | { readonly ok: true; readonly record: Fields; readonly extra: Fields | null }
  | { readonly ok: false; readonly id: string | number | null; readonly raw: unknown; readonly problem: string }

export interface DetailResult {
  readonly supplied: boolean
  readonly differing: readonly string[]
  /** True if the record was not contradicted before and is now. */
  readonly contradicts: boolean
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
  readonly unknown: readonly { readonly key: string | number | null; readonly createdAt: number | null }[]
  readonly changes: () => boolean
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
}

export interface LookUp {
  readonly rid: number
  readonly key: number
}

export interface MissingRecord extends LookUp {
  readonly fullSyncs: number
  /** When it was first missing, or missing again after an answer by id; null in quarantine. In milliseconds since the epoch. */
  readonly missingSince: number | null
}

export interface MissingQuery {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly limit: number
  readonly onlyAccepted: boolean
}

export interface DetailQuery {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly limit: number
  /** Only unknown details of records changed since then; null = all: never looked up, ambiguous, others. */
  readonly changedSince: number | null
  /** Values of the detail's list field that do not determine the detail. */
  readonly ambiguous: readonly string[]
}

/** Live records, and quarantined ones without a live version, that a full sync did not return. */
export interface Absence {
  readonly live: number
  /** Ordered by record id; `fullSyncs` includes this full sync. */
  readonly absent: readonly AbsentRecord[]
}

export interface BudgetQuery {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly at: number
  /** At most `at`; earlier if the local clock was set forward, or may have been, and nothing confirms it. */
  readonly steadyAt: number
  /** Local time as if the clock had not been set since the engine started. */
  readonly unsetAt: number
  /** `unsetAt` if the server time is unreadable. */
  readonly serverTime: number
  /** True if the server time agrees with `at`. */
  readonly confirmed: boolean
  /** Local start of a hold on removals: removals count at least from then, creations from 24 hours before it. */
  readonly heldSince?: number | null
}

/** Numbers of the last 24 hours, or since removals are on hold. */
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

/** Records of a full sync that a request by time must return, by whether they were ever updated. */
export interface LeftOut {
  readonly updated: ExpectedRecords
  readonly neverUpdated: ExpectedRecords
}

export interface ExpectedRecords {
  readonly expected: number
  readonly leftOut: number
  /** When the newest expected record was last updated, else created; null without one. */
  readonly newest: number | null
}

export interface FullSyncEnd {
  readonly fullSyncId: number
  readonly at: number
  readonly durationMs: number
  readonly requestId: string | null
  /** Incremental cursor to store; undefined keeps the stored one. */
  readonly cursor?: string
  readonly reachedEndServerTime: number | null
  /** As in `BudgetQuery`. */
  readonly unsetAt: number
  readonly remove: readonly number[]
  readonly absent: readonly number[]
}

export interface PersonMark {
  readonly id: number
  readonly email: string | null
  readonly createdAt: number | null
}

export interface PersonsCompared {
  readonly equal: number
  /** The mirror's oldest live persons, at most as many as the page has, and how many of them are on it. */
  readonly oldest: number
  readonly oldestShown: number
}
