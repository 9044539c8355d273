import type { ResourceName } from '../../model/resource-names.ts'

/** Every time in this file is in milliseconds since the epoch. */

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

/** Pages that come again byte for byte. */
export interface KnownPageStore {
  /** The page that the last full sync showed in this place, read in this way; null when there is none. */
  knownPage(tenantId: number, resource: ResourceName, page: number, reading: string): Promise<PageFingerprint | null>
  /** Null, with nothing written, when its records are no longer as the known page showed them. */
  commitKnownPage(page: KnownPageCommit): Promise<PageResult | null>
}
