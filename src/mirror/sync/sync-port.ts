import type { Emptiness } from '../../model/emptiness.ts'
import type { Reason } from '../../model/reasons.ts'
import type { ResourceName, SyncMode } from '../../model/resource-names.ts'
import type {
  Absence,
  BudgetQuery,
  CommitCounts,
  DetailQuery,
  DetailResult,
  FullSyncEnd,
  Incoming,
  KnownPageCommit,
  LeftOut,
  LookUp,
  MissingQuery,
  MissingRecord,
  PageCommit,
  PageFingerprint,
  PageResult,
  PersonMark,
  PersonsCompared,
  RemovalBudget,
  WholeList,
} from './page-rows.ts'

/** Every time in this file is in milliseconds since the epoch. */

export interface TenantRow {
  readonly id: number
  readonly name: string
  readonly baseUrl: string
  readonly blockedUntil: number
  /** How much of that wait was left when it was stored; null = not known. */
  readonly blockedForMs: number | null
  readonly changeAccepted: readonly string[] | null
  /** Resources whose records may still be those of a tenant in whose place an operator accepted another one. */
  readonly former: readonly string[]
  /** When an operator last accepted another tenant. */
  readonly knownSince: number | null
  readonly admitted: AdmittedPage | null
}

/** The ids of a refused page that an operator accepted. */
export interface AdmittedPage {
  readonly resource: string
  readonly keys: readonly (string | number)[]
}

export interface FullSyncRow {
  readonly id: number
  readonly startedAt: number
  readonly startServerTime: number | null
  readonly startRequestId: string | null
  readonly progressAt: number
  readonly fullSyncMs: number
  readonly waitMs: number
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
  /** Server time of the last run's last answer, and what the local clock showed then. */
  readonly serverTime: number | null
  readonly serverTimeAt: number | null
  readonly incrementalAttemptAt: number | null
  readonly incrementalSuccessAt: number | null
  readonly incrementalReason: Reason | null
  readonly fullAttemptAt: number | null
  readonly fullSuccessAt: number | null
  readonly fullReason: Reason | null
  /** The refusal that no success of either mode followed: both ask under the same permission. */
  readonly denied: Reason | null
  readonly message: string | null
  readonly resetFullSyncAt: number | null
  readonly fullSyncOwed: boolean
  readonly incrementalPaused: boolean
  readonly emptyAccepted: Emptiness | null
}

/** When an answer came, by both clocks; null where the server's could not be read. */
export interface AnsweredAt {
  readonly serverTime: number | null
  readonly at: number
}

/** The end of one run. */
export interface RunClose {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly mode: SyncMode
  readonly startedAt: number
  readonly endedAt: number
  /** The age of what a successful run brought: the start of its first page, which for a resumed full sync lies before the run. */
  readonly dataAsOf: number
  readonly outcome: 'success' | 'failure'
  readonly reason: Reason | null
  readonly message: string | null
  /** Server time at the start of a run that reached the end of the feed; null leaves what is known. */
  readonly reachedEndServerTime: number | null
  /** Time of its last answer; null when it brought none. */
  readonly answered: AnsweredAt | null
  readonly pages: number
  readonly counts: CommitCounts
}

/** A complete list that came in one answer, and the end of the run that read it. */
export interface ListCommit {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly items: readonly Incoming[]
  readonly requestId: string | null
  readonly whole: WholeList
  readonly end: Omit<RunClose, 'counts'>
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
export interface ResourceQuality {
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
      readonly blockedForMs?: number
      readonly changeAccepted?: readonly string[] | null
      readonly former?: readonly string[]
      readonly admitted?: AdmittedPage | null
    },
  ): Promise<void>
  /** Takes a resource that was read in full out of `former`, unless accepted removals of it are still to be carried out. */
  noteOwnRecords(tenantId: number, resource: ResourceName): Promise<void>
  tenant(tenantId: number): Promise<TenantRow>
  syncState(tenantId: number, resource: ResourceName): Promise<SyncState>
  noteSync(
    tenantId: number,
    resource: ResourceName,
    note: Partial<
      Pick<
        SyncState,
        'cursor' | 'resetFullSyncAt' | 'serverTimeAt' | 'fullSyncOwed' | 'incrementalPaused' | 'emptyAccepted'
      >
    >,
  ): Promise<void>
  closeRun(run: RunClose): Promise<void>
  /**
   * Stores, in one transaction, that a complete list shows just what the mirror holds, and the end of the run that read
   * it. Null, with nothing written, where it shows anything else or anything waits for a complete list.
   */
  confirmList(list: ListCommit): Promise<CommitCounts | null>

  commitPage(page: PageCommit): Promise<PageResult>
  /** The page that the last full sync showed in this place, read in this way; null when there is none. */
  knownPage(tenantId: number, resource: ResourceName, page: number, reading: string): Promise<PageFingerprint | null>
  /** Null, with nothing written, when its records are no longer as the known page showed them. */
  commitKnownPage(page: KnownPageCommit): Promise<PageResult | null>
  /**
   * How many of these keys the mirror knows: live, tombstoned or quarantined, save tombstones of a tenant in whose place
   * an operator accepted another one.
   */
  knownKeys(tenantId: number, resource: ResourceName, keys: readonly (string | number)[]): Promise<number>
  knowsAny(tenantId: number): Promise<boolean>
  liveCount(tenantId: number, resource: ResourceName): Promise<number>
  /** Compares the first page of a list of persons with the mirror's live ones (docs/sync.md#tenant-identity). */
  comparePersons(tenantId: number, resource: ResourceName, page: readonly PersonMark[]): Promise<PersonsCompared>
  /** Withdraws every accepted removal of the tenant. */
  withdrawAcceptedRemovals(tenantId: number): Promise<void>

  openFullSync(tenantId: number, resource: ResourceName): Promise<FullSyncRow | null>
  startFullSync(fullSync: {
    readonly tenantId: number
    readonly resource: ResourceName
    readonly at: number
    readonly cursorBefore: string | null
    /** True when it takes the place of a full sync whose list moved while it was read. */
    readonly again?: boolean
  }): Promise<FullSyncRow>
  /**
   * Whether a record came on two pages of the full sync itself: its list moved meanwhile, and may have passed over another one.
   * `moved-again` of a full sync that was begun again for it: a list that moves all the time must complete, too.
   */
  fullSyncMoved(fullSyncId: number): Promise<'no' | 'moved' | 'moved-again'>
  dropFullSync(fullSyncId: number): Promise<void>
  /** Notes until when the tenant wants nothing sent: the open full sync of the resource does not stand idle until then. */
  noteWait(tenantId: number, resource: ResourceName, until: number): Promise<void>
  cursorSeen(fullSyncId: number, digest: string): Promise<boolean>
  absence(fullSyncId: number): Promise<Absence>
  /** Ends a complete full sync in one transaction. */
  completeFullSync(end: FullSyncEnd): Promise<{ readonly removed: number }>
  /** Marks users `missing`; they are confirmed one by one. */
  markMissing(tenantId: number, resource: ResourceName, rids: readonly number[], at: number): Promise<void>
  remove(
    tenantId: number,
    resource: ResourceName,
    rids: readonly number[],
    at: number,
    requestId: string | null,
    /** Server time of the full sync that decided on them, for the shrink guard; undefined = not counted by it. */
    serverTime?: number | null,
  ): Promise<number>
  removalBudget(query: BudgetQuery): Promise<RemovalBudget>
  /** Page number below which the pages beside a full sync lie that are noted from now on. */
  besideFullSync(fullSyncId: number): Promise<number>
  /** What the pages below `before` left out of a request for all records updated at or after `since`. */
  leftOut(fullSyncId: number, before: number, since: number): Promise<LeftOut>

  /** Missing records to be asked for by id, those asked longest ago first. */
  missing(query: MissingQuery): Promise<readonly MissingRecord[]>
  /** Records whose details should be read next, most urgent first; missing ones are asked for elsewhere. */
  detailCandidates(query: DetailQuery): Promise<readonly LookUp[]>
  /** Records that the last complete full sync showed, those asked longest ago first. */
  listed(tenantId: number, resource: ResourceName, limit: number): Promise<readonly LookUp[]>
  /** To be called before a record is asked for by id: it comes last now, whatever the answer will be. */
  noteLookup(tenantId: number, resource: ResourceName, rid: number): Promise<void>
  /**
   * To be called for a missing record that exists: it is missing no longer and keeps its values. Until a list shows it
   * again its absences are still counted, and no finding of it resolves.
   */
  noteExists(tenantId: number, resource: ResourceName, rid: number): Promise<void>

  /** Takes of an answer by id what only it states, where it agrees with the list on the field that this hangs on. */
  commitDetail(detail: {
    readonly tenantId: number
    readonly resource: ResourceName
    readonly item: Incoming
    readonly at: number
    readonly requestId: string | null
  }): Promise<DetailResult>

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
  /**
   * Applies a decision of `shrink_held` or of an announced empty page: the ids it held become accepted removals; of an
   * accepted empty list: all live ids; of `tenant_changed` too, where `coversKnown`, and then nothing that waivers accepted
   * counts any more, and the tombstones of what was known before do not identify the tenant. Without
   * effect when the hold is gone by now.
   */
  applyDecision(
    decision: DecisionRow,
    by: { readonly tenantId: number; readonly at: number; readonly coversKnown: boolean },
  ): Promise<void>
}
