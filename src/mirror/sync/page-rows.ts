import type { ResourceName } from '../../model/resource-names.ts'

/** What sync writes and asks page by page and record by record; every time is in milliseconds since the epoch. */

/** A record to be mirrored, or one that could not be trusted. */
export type Incoming =
  | { readonly ok: true; readonly record: object; readonly extra: object | null }
  | { readonly ok: false; readonly id: string | number | null; readonly raw: unknown; readonly problem: string }

/** What an answer by id came to. */
export interface DetailResult {
  /** True when it supplied the field that only it states. */
  readonly supplied: boolean
  /** Fields in which it differs from what the mirror has of the list. */
  readonly differing: readonly string[]
}

export interface CommitCounts {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly removed: number
  readonly quarantined: number
}

/** What a page looks like against the mirror, before anything of it is written. */
export interface PageGlance {
  readonly known: number
  /** Records the mirror does not know: key (null where none can be read) and `createdAt` (null where it has none). */
  readonly unknown: readonly { readonly key: string | number | null; readonly createdAt: number | null }[]
  /** True when a record of the page is new or differs from the mirror's. */
  readonly changes: () => boolean
}

export interface PageCommit {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly items: readonly Incoming[]
  readonly at: number
  readonly requestId: string | null
  /** The full sync this page belongs to or stands beside: what it shows counts as seen by it. */
  readonly fullSync?: FullSyncStep
  /** The incremental sync cursor to store with the page. */
  readonly cursor?: string | null
  /** True for an unpaginated list or single object: what it does not show is removed in the same transaction. */
  readonly whole?: WholeList
  /** True when later creations are history (a complete full sync exists). */
  readonly recordCreations: boolean
  /** Keeps the page of the full sync, where it can be known again. */
  readonly remember?: PageMemory & { readonly note: string }
  /** Refuses the page by its glance; nothing is written then. Not asked when absent. */
  readonly admit?: (glance: PageGlance) => boolean
}

/** A complete full sync in one answer. */
export interface WholeList {
  readonly startedAt: number
  readonly durationMs: number
  readonly serverTime: number | null
}

export interface FullSyncStep {
  readonly id: number
  /** Absent for an incremental sync beside the full sync: only what it shows is noted. */
  readonly advance?: FullSyncAdvance
}

export interface FullSyncAdvance {
  readonly nextCursor: string | null
  /** Digest of the cursor handed out by this page, to notice one that comes again. */
  readonly cursorDigest: string | null
  readonly reachedEnd: boolean
  /** How long the full sync has been under way, waits between its runs included. */
  readonly fullSyncMs: number
  /** Set on the first page. */
  readonly start?: { readonly serverTime: number | null; readonly requestId: string | null }
}

export interface PageResult {
  readonly admitted: boolean
  readonly counts: CommitCounts
  /** How many records had each date moved to a later instant. */
  readonly laterDates: Readonly<Record<string, number>>
  /** Fields in which records with one id contradict each other; such records are quarantined. */
  readonly contradictory: readonly string[]
}

/** What tells whether a page of a full sync is one that the mirror knows. */
export interface PageMemory {
  /** Digest of the records as sent. */
  readonly digest: string
  /** What else the reading of the page hung on. */
  readonly reading: string
}

/** A page of the last full sync: while its records stay as it showed them, the same bytes need not be read again. */
export interface PageFingerprint {
  readonly digest: string
  readonly records: number
  /** What the engine noted about it. */
  readonly note: string
}

/** A page that shows what a known one shows: nothing is written but that its records were seen. */
export interface KnownPageCommit extends PageMemory {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly at: number
  /** Its place in the full sync, from 1. */
  readonly page: number
  readonly fullSync: FullSyncStep
}

/** A record to be asked for by id. */
export interface LookUp {
  readonly rid: number
  readonly key: number
}

/** A missing record. */
export interface MissingRecord extends LookUp {
  /** Complete full syncs in a row that did not show it. */
  readonly fullSyncs: number
}

export interface MissingQuery {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly limit: number
  /** Only those whose removal an operator accepted. */
  readonly onlyAccepted: boolean
}

export interface DetailQuery {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly limit: number
  /**
   * Only those without a known detail that were created or changed since (milliseconds since the epoch); null means all:
   * first those without one that were not looked up yet, then those with an ambiguous value, then the rest, looked up
   * longest ago first. Those looked up in vain have half of what the first leave, and what the others do not use.
   */
  readonly changedSince: number | null
  /** Values that say too little of the detail, of the field that it depends on. */
  readonly ambiguous: readonly string[]
}

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

/** By what a person is recognized; `createdAt` in milliseconds since the epoch. */
export interface PersonMark {
  readonly id: number
  readonly email: string | null
  readonly createdAt: number | null
}

export interface PersonsCompared {
  /** Persons of the page that are known with equal `createdAt` and `email`. */
  readonly equal: number
  /** The mirror's oldest live ones, at most as many as the page has, and how many of them are on it. */
  readonly oldest: number
  readonly oldestShown: number
}
