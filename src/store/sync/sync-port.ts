import type { Reading } from '../../model/reading.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { CommitCounts, RunResult, WrittenAnswer } from '../../model/run-result.ts'
import type { RowOf } from '../rows.ts'
import type { fullSyncs, holds, syncStates, tenants } from '../schema/sync.ts'
import type { RidSet } from './seen-records.ts'

/** Every time in this file is in milliseconds since the epoch. */

export interface OfResource {
  readonly tenantId: number
  readonly resource: ResourceName
}

export type TenantRow = RowOf<typeof tenants>
export type FullSyncRow = RowOf<typeof fullSyncs>
export type SyncState = RowOf<typeof syncStates>

export interface RunClose extends OfResource, Pick<RunResult, 'mode' | 'reason' | 'message' | 'pages'> {
  readonly startedAt: number
  readonly endedAt: number
  /** Start of the run's first page; before the run where it resumes a full sync. */
  readonly dataAsOf: number
  readonly outcome: 'success' | 'failure'
  /** Server time at the start of a run that reached the end of the feed; null keeps the stored one. */
  readonly reachedEndServerTime: number | null
  readonly answered: Omit<WrittenAnswer, 'monotonic'> | null
  readonly tokenRefused?: boolean
}

export type HoldRow = Omit<RowOf<typeof holds>, 'rids'> & { readonly tenant: string }

export interface NewHold extends Omit<HoldRow, 'acceptedReason' | 'appliedAt' | 'id' | 'raisedAt' | 'tenant'> {
  /** Records whose removal is held. */
  readonly rids?: readonly number[]
  readonly at: number
}

export interface ResourceQuality {
  readonly state: SyncState
  readonly quarantined: number
  readonly missing: number
}

export interface PageCommit extends OfResource {
  readonly items: readonly Reading[]
  readonly at: number
  /** Null without a readable time; absent keeps the stored one. */
  readonly serverTime?: number | null
  readonly requestId: string | null
  /** The full sync of the page, or the one beside an incremental page; it counts the page's records as returned. */
  readonly fullSync?: FullSyncStep
  readonly cursor?: string | null
  /** Set for an unpaginated list or a singleton: records that it lacks are removed in the same transaction. */
  readonly whole?: WholeList
  /** True once a full sync has completed: later creations are history. */
  readonly recordCreations: boolean
  /**
   * True if records that come without one that identifies the tenant are provisional: those of a list of GUIDs after its
   * first full sync, unless they are an accepted tenant's.
   */
  readonly provisional?: boolean
  /** Nothing is written if it returns false. */
  readonly admit?: (comparison: PageComparison) => boolean
}

export interface PageComparison {
  readonly known: number
  /** Known records that identify the tenant. */
  readonly identifying: number
  /** `key` is null without a readable id, `createdAt` if the record has none. */
  readonly unknown: readonly { readonly key: string | null; readonly createdAt: number | null }[]
  /** True if the page changes records, or is a whole list that lacks some. */
  readonly differs: boolean
}

export interface WholeList {
  readonly startedAt: number
  readonly durationMs: number
  readonly serverTime: number | null
}

export interface FullSyncStep {
  readonly id: number
  /** Records of its earlier pages. */
  readonly seen: RidSet
  /** The full sync after the page; absent for an incremental page beside it. */
  readonly next?: Partial<FullSyncRow>
}

export interface PageResult {
  readonly admitted: boolean
  readonly counts: CommitCounts
  /** Number of records whose secret was rotated. */
  readonly rotated: number
  /** Number of updated records in which a field changed that checks read. */
  readonly relevant: number
  /** Fields in which records with the same id contradict each other; such records are quarantined. */
  readonly contradictory: readonly string[]
  /** Keys of records whose detail is unknown since this page. */
  readonly detailDue: readonly string[]
  /** Its records, which later pages of the full sync are compared with. */
  readonly rids: readonly number[]
}

/** An answer by id. */
export interface DetailAnswer {
  readonly item: Reading
  readonly at: number
  readonly requestId: string | null
}

/** Records that a full sync did not return. */
export interface Absence {
  readonly live: number
  /** Ordered by record id; `fullSyncs` includes this full sync. */
  readonly absent: readonly AbsentRecord[]
}

export interface AbsentRecord {
  readonly rid: number
  readonly key: string
  readonly fullSyncs: number
  readonly accepted: boolean
  readonly firstSeenAt: number
}

export interface FullSyncEnd {
  readonly fullSyncId: number
  /** All records that it returned. */
  readonly seen: RidSet
  readonly at: number
  readonly durationMs: number
  /** Incremental cursor to store; undefined keeps the stored one. */
  readonly cursor?: string
  /** For the shrink guard: the later of the server's time and the local clock. */
  readonly removedAt: number
  readonly remove: readonly number[]
  readonly absent: readonly number[]
  /** Absent records over which no check passes until they return; users are looked up by id. */
  readonly missing: readonly number[]
}

export interface MissingRecord {
  readonly rid: number
  readonly key: string
  /** When it was first missing, or missing again after an answer by id. */
  readonly missingSince: number
  /** Null if no answer by id came since a list last returned it. */
  readonly lookedUpAt: number | null
}

/** Missing records that were looked up by id. */
export interface LookUps extends OfResource {
  readonly at: number
  readonly asked: readonly number[]
  /** Exist with the mirrored values, so that they are no longer missing. */
  readonly existing: readonly number[]
  readonly removed: readonly { readonly rid: number; readonly requestId: string | null }[]
  /** See `FullSyncEnd`. */
  readonly removedAt: number
}

export interface BudgetQuery extends OfResource {
  /** The earlier and the later of the server's time and the local clock. */
  readonly now: number
  readonly latest: number
  /** Start of a hold on removals: creations count from 24 hours before it, so that new records do not end it. */
  readonly heldSince?: number | null
}

/** Numbers of the last 24 hours. */
export interface RemovalBudget {
  /** When a new record was first seen: after 24 hours ago and after the end of the first complete full sync. */
  readonly base: { readonly after: number; readonly until: number }
  /** Without accepted removals and records that were returned again. */
  readonly removed: number
  /** Of these, the new ones. */
  readonly removedNew: number
  /** New records, also those that were removed since. */
  readonly created: number
}
