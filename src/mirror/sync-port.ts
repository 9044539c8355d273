import type { Reason } from '../model/reasons.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'

/** Every time in this file is in milliseconds since the epoch. */

export interface TenantRow {
  readonly id: number
  readonly name: string
  readonly baseUrl: string
  readonly blockedUntil: number
  readonly clockSkewMs: number | null
  readonly changeAccepted: readonly string[] | null
}

/** A record to be mirrored, or one that could not be trusted. */
export type Incoming =
  | { readonly ok: true; readonly record: object; readonly extra: object | null }
  | { readonly ok: false; readonly id: string | number | null; readonly raw: unknown; readonly problem: string }

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
  /** `createdAt` of each record the mirror has never known, null where it has none. */
  readonly unknownCreatedAt: readonly (number | null)[]
}

export interface PageCommit {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly items: readonly Incoming[]
  readonly at: number
  readonly requestId: string | null
  /** The walk this page belongs to or stands beside: what it shows counts as seen by it. */
  readonly walk?: WalkStep
  /** The poll cursor to store with the page. */
  readonly cursor?: string | null
  /** True for an unpaginated list or single object: what it does not show is removed in the same transaction. */
  readonly whole?: WholeList
  /** True when later creations are history (a complete walk exists). */
  readonly recordCreations: boolean
  /** Refuses the page by its glance; nothing is written then. Not asked when absent. */
  readonly admit?: (glance: PageGlance) => boolean
}

/** A complete walk in one answer. */
export interface WholeList {
  readonly startedAt: number
  readonly durationMs: number
  readonly serverTime: number | null
}

export interface WalkStep {
  readonly id: number
  /** Absent for a poll beside the walk: only what it shows is noted. */
  readonly advance?: WalkAdvance
}

export interface WalkAdvance {
  readonly nextCursor: string | null
  /** Digest of the cursor handed out by this page, to notice one that comes again. */
  readonly cursorDigest: string | null
  readonly reachedEnd: boolean
  /** Set on the first page. */
  readonly start?: { readonly serverTime: number | null; readonly requestId: string | null }
}

export interface PageResult {
  readonly admitted: boolean
  readonly counts: CommitCounts
  /** How many records changed each field. */
  readonly changedFields: Readonly<Record<string, number>>
}

export interface WalkRow {
  readonly id: number
  readonly startedAt: number
  readonly startServerTime: number | null
  readonly startRequestId: string | null
  readonly progressAt: number
  readonly pages: number
  readonly nextCursor: string | null
  readonly lastCursor: string | null
  readonly cursorBefore: string | null
  readonly reachedEnd: boolean
  readonly unreadable: boolean
  readonly emptyPages: number
}

export interface SyncState {
  readonly resource: ResourceName
  readonly cursor: string | null
  readonly reachedEndServerTime: number | null
  readonly completeStartedAt: number | null
  readonly completeServerTime: number | null
  readonly completeDurationMs: number | null
  readonly completeRequestId: string | null
  readonly pollAttemptAt: number | null
  readonly pollSuccessAt: number | null
  readonly pollReason: Reason | null
  readonly sweepAttemptAt: number | null
  readonly sweepSuccessAt: number | null
  readonly sweepReason: Reason | null
  readonly message: string | null
  readonly resetSweepAt: number | null
  readonly pollsRest: boolean
  readonly emptyAccepted: boolean
}

/** The end of one run. */
export interface RunClose {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly mode: SyncMode
  readonly startedAt: number
  readonly endedAt: number
  /** The age of what a successful run brought: the start of its first page, which for a resumed walk lies before the run. */
  readonly dataAsOf: number
  readonly outcome: 'success' | 'failure'
  readonly reason: Reason | null
  readonly message: string | null
  /** Server time at the start of a run that reached the end of the feed. */
  readonly reachedEndServerTime?: number | null
  readonly pages: number
  readonly counts: CommitCounts
}

/** Live records that a walk did not show. */
export interface Absence {
  readonly live: number
  /** Absent, ordered by record id; `walks` = complete walks in a row without it, this one included. */
  readonly absent: readonly AbsentRecord[]
}

export interface AbsentRecord {
  readonly rid: number
  readonly key: string
  readonly walks: number
  readonly accepted: boolean
}

export interface HoldRow {
  readonly id: string
  readonly tenantId: number
  readonly tenant: string
  readonly resource: ResourceName | 'all'
  readonly reason: Reason
  readonly count: number
  readonly message: string
  readonly cause: Readonly<Record<string, unknown>>
  readonly raisedAt: number
}

export interface DecisionRow {
  readonly id: number
  readonly holdId: string
  readonly resource: ResourceName | 'all'
  readonly holdReason: Reason
  readonly reason: string
}

/** What the trust in one resource hangs on, beside its ages. */
export interface ResourceTrust {
  readonly state: SyncState
  readonly live: number
  readonly quarantined: number
  readonly missing: number
}

/** The writing side of sync. */
export interface SyncStore {
  /** Opens the tenant's row; a first call makes it. `sameOrigin` is false when the mirror knows another base URL. */
  openTenant(
    name: string,
    baseUrl: string,
    at: number,
  ): Promise<{ readonly tenant: TenantRow; readonly sameOrigin: boolean }>
  adoptBaseUrl(tenantId: number, baseUrl: string): Promise<void>
  noteTenant(
    tenantId: number,
    note: {
      readonly blockedUntil?: number
      readonly clockSkewMs?: number
      readonly changeAccepted?: readonly string[] | null
    },
  ): Promise<void>
  tenant(tenantId: number): Promise<TenantRow>
  syncState(tenantId: number, resource: ResourceName): Promise<SyncState>
  noteSync(
    tenantId: number,
    resource: ResourceName,
    note: Partial<Pick<SyncState, 'cursor' | 'resetSweepAt' | 'pollsRest' | 'emptyAccepted' | 'reachedEndServerTime'>>,
  ): Promise<void>
  closeRun(run: RunClose): Promise<void>

  commitPage(page: PageCommit): Promise<PageResult>
  /** Which of these keys the mirror knows: live, tombstoned or quarantined. */
  knownKeys(tenantId: number, resource: ResourceName, keys: readonly (string | number)[]): Promise<number>
  knowsAny(tenantId: number): Promise<boolean>
  liveCount(tenantId: number, resource: ResourceName): Promise<number>

  openWalk(tenantId: number, resource: ResourceName): Promise<WalkRow | null>
  startWalk(walk: {
    readonly tenantId: number
    readonly resource: ResourceName
    readonly at: number
    readonly cursorBefore: string | null
  }): Promise<WalkRow>
  dropWalk(walkId: number): Promise<void>
  cursorSeen(walkId: number, digest: string): Promise<boolean>
  absence(walkId: number): Promise<Absence>
  /** Ends a complete walk in one transaction. */
  completeWalk(end: WalkEnd): Promise<{ readonly removed: number }>
  /** Marks users `missing`; they are confirmed one by one. */
  markMissing(tenantId: number, resource: ResourceName, rids: readonly number[], at: number): Promise<void>
  /** Missing records, those whose removal was accepted first, then in the order they went missing. */
  missing(tenantId: number, resource: ResourceName, limit: number): Promise<readonly AbsentRecord[]>
  remove(
    tenantId: number,
    resource: ResourceName,
    rids: readonly number[],
    at: number,
    requestId: string | null,
  ): Promise<number>

  /** Records whose details should be read next, most urgent first. */
  detailCandidates(query: DetailQuery): Promise<readonly { readonly rid: number; readonly key: number }[]>
  /** Writes a detail answer; `fields` as in a page item. */
  commitDetail(detail: {
    readonly tenantId: number
    readonly resource: ResourceName
    readonly item: Incoming
    readonly at: number
    readonly requestId: string | null
    readonly walkId: number | null
  }): Promise<PageResult>

  holds(tenantId?: number): Promise<readonly HoldRow[]>
  /** Raises or keeps a hold; its id stays while what it holds is unchanged. */
  raiseHold(hold: {
    readonly tenantId: number
    readonly resource: ResourceName | 'all'
    readonly reason: Reason
    readonly count: number
    readonly message: string
    readonly cause: Readonly<Record<string, unknown>>
    readonly rids?: readonly number[]
    readonly at: number
  }): Promise<HoldRow>
  liftHold(tenantId: number, resource: ResourceName | 'all', reason: Reason): Promise<boolean>
  pendingDecisions(tenantId: number): Promise<readonly DecisionRow[]>
  /** Applies a decision of `shrink_held`: the ids it held become accepted removals; of `tenant_changed` and an accepted empty list: all live ids. Without effect when the hold is gone by now. */
  applyDecision(decision: DecisionRow, tenantId: number, at: number): Promise<void>
}

export interface WalkEnd {
  readonly walkId: number
  readonly at: number
  readonly durationMs: number
  readonly requestId: string | null
  /** The poll cursor to store; undefined leaves the stored one. */
  readonly cursor?: string
  readonly reachedEndServerTime: number | null
  /** Records to be tombstoned now. */
  readonly remove: readonly number[]
  /** Records absent from this walk that stay: their count of absent walks grows. */
  readonly absent: readonly number[]
}

export interface DetailQuery {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly limit: number
  /**
   * Only those without a known detail that were created or changed since (milliseconds since the epoch); null means all:
   * first those without one, then those with an ambiguous role name, then the rest, oldest reading first.
   */
  readonly changedSince: number | null
  readonly ambiguousRoleNames: readonly string[]
  /** Of those without a known detail, begin behind this key, so that ones that cannot be read do not block the rest. */
  readonly after: number
}
