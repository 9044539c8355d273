import type { Emptiness } from '../../model/emptiness.ts'
import type { HoldCause } from '../../model/hold-cause.ts'
import type { Reason } from '../../model/reasons.ts'
import type { ResourceName, SyncMode } from '../../model/resource-names.ts'
import type {
  Absence,
  BudgetQuery,
  CommitCounts,
  DetailAnswer,
  DetailResult,
  FullSyncEnd,
  Incoming,
  LookUp,
  MissingQuery,
  MissingRecord,
  PageCommit,
  PageResult,
  Removal,
  RemovalBudget,
  WholeList,
} from './page-rows.ts'

/** Every time in this file is in milliseconds since the epoch. */

export interface TenantRow {
  readonly id: number
  readonly name: string
  readonly createdAt: number
  readonly baseUrl: string
  readonly blockedUntil: number
  readonly blockedForMs: number | null
  readonly changeAccepted: readonly string[] | null
  /** Ids of the accepted data, as `resource GUID`; empty in older versions. */
  readonly acceptedIds: readonly string[]
  /** Digests of the credentials for which `changeAccepted` and an accepted denial are valid. */
  readonly acceptedCredential: string | null
  readonly deniedCredential: string | null
  /** Resources that may still have records of the former tenant after an operator accepted another one. */
  readonly former: readonly string[]
  readonly knownSince: number | null
  readonly admitted: AdmittedPage | null
}

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
  /** True if it may lack a record, so that it removes nothing. */
  readonly notWhole: boolean
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
  /** Server time of the last run's last answer, and the local time of its receipt. */
  readonly serverTime: number | null
  readonly serverTimeAt: number | null
  readonly incrementalAttemptAt: number | null
  readonly incrementalSuccessAt: number | null
  readonly incrementalReason: Reason | null
  readonly fullAttemptAt: number | null
  readonly fullSuccessAt: number | null
  readonly fullReason: Reason | null
  /** Refusal since the last success in either mode; both use the same permission. */
  readonly denied: Reason | null
  /** Last end of a run whose token was refused for every permission; milliseconds since the epoch. */
  readonly tokenRefusedAt: number | null
  readonly message: string | null
  readonly resetFullSyncAt: number | null
  readonly fullSyncOwed: boolean
  readonly incrementalPaused: boolean
  readonly emptyAccepted: Emptiness | null
}

export interface AnsweredAt {
  readonly serverTime: number | null
  readonly at: number
}

export interface RunClose {
  readonly tenantId: number
  readonly resource: ResourceName
  readonly mode: SyncMode
  readonly startedAt: number
  readonly endedAt: number
  /** Start of the run's first page; before the run where it resumes a full sync. */
  readonly dataAsOf: number
  readonly outcome: 'success' | 'failure'
  readonly reason: Reason | null
  readonly message: string | null
  /** Server time at the start of a run that reached the end of the feed; null keeps the stored one. */
  readonly reachedEndServerTime: number | null
  readonly answered: AnsweredAt | null
  /** True if the token was refused for every permission, or there was no token. */
  readonly tokenRefused?: boolean
  readonly pages: number
  readonly counts: CommitCounts
}

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
  readonly cause: HoldCause
  readonly raisedAt: number
}

export interface DecisionRow {
  readonly id: number
  readonly holdId: string
  readonly resource: ResourceName | 'all'
  readonly holdReason: Reason
  readonly reason: string
}

export interface ResourceQuality {
  readonly state: SyncState
  readonly live: number
  readonly quarantined: number
  readonly missing: number
}

export interface SyncStore {
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
      readonly acceptedIds?: readonly string[]
      readonly acceptedCredential?: string | null
      readonly deniedCredential?: string | null
      readonly former?: readonly string[]
      readonly admitted?: AdmittedPage | null
    },
  ): Promise<void>
  /** Removes a resource that was read in full from `former`, unless accepted removals of it are pending. */
  noteOwnRecords(tenantId: number, resource: ResourceName): Promise<void>
  tenant(tenantId: number): Promise<TenantRow>
  syncState(tenantId: number, resource: ResourceName): Promise<SyncState>
  noteSync(
    tenantId: number,
    resource: ResourceName,
    note: Partial<
      Pick<
        SyncState,
        | 'completeDurationMs'
        | 'completeRequestId'
        | 'completeServerTime'
        | 'completeStartedAt'
        | 'cursor'
        | 'emptyAccepted'
        | 'fullSyncOwed'
        | 'incrementalPaused'
        | 'resetFullSyncAt'
        | 'serverTimeAt'
      >
    > & {
      /** Key of the last record whose detail was read in rotation. */
      readonly detailsAfter?: string
    },
  ): Promise<void>
  closeRun(run: RunClose): Promise<void>
  /** Null, without a write, if the list differs from the mirror or something waits for a complete list. */
  confirmList(list: ListCommit): Promise<CommitCounts | null>

  commitPage(page: PageCommit): Promise<PageResult>
  /** Counts known keys: live, tombstoned or quarantined, without tombstones of a former tenant. */
  knownKeys(tenantId: number, resource: ResourceName, keys: readonly (string | number)[]): Promise<number>
  knowsAny(tenantId: number): Promise<boolean>
  liveCount(tenantId: number, resource: ResourceName): Promise<number>
  withdrawAcceptedRemovals(tenantId: number): Promise<void>

  openFullSync(tenantId: number, resource: ResourceName): Promise<FullSyncRow | null>
  startFullSync(fullSync: {
    readonly tenantId: number
    readonly resource: ResourceName
    readonly at: number
    readonly cursorBefore: string | null
  }): Promise<FullSyncRow>
  dropFullSync(fullSyncId: number): Promise<void>
  /** Stores a wait that the server requested, during which the open full sync is not idle. */
  noteWait(tenantId: number, resource: ResourceName, until: number): Promise<void>
  cursorSeen(fullSyncId: number, digest: string): Promise<boolean>
  absence(fullSyncId: number): Promise<Absence>
  completeFullSync(end: FullSyncEnd): Promise<{ readonly removed: number }>
  markMissing(tenantId: number, resource: ResourceName, rids: readonly number[], at: number): Promise<void>
  /** Makes records tombstones; returns how many had a valid version. */
  remove(removal: Removal, rids: readonly number[]): Promise<number>
  removalBudget(query: BudgetQuery): Promise<RemovalBudget>
  missing(query: MissingQuery): Promise<readonly MissingRecord[]>
  /** Records whose details are read next in rotation; moves the rotation on. */
  nextDetails(tenantId: number, resource: ResourceName, limit: number): Promise<readonly LookUp[]>
  /** Stores details that agree with the list on the field that they depend on; results in the same order. */
  saveDetails(
    tenantId: number,
    resource: ResourceName,
    answers: readonly DetailAnswer[],
  ): Promise<readonly DetailResult[]>
  /** Missing records that were looked up: `existing` ones keep their values and are no longer missing. */
  saveLookUps(lookUps: {
    readonly tenantId: number
    readonly resource: ResourceName
    readonly asked: readonly number[]
    readonly existing: readonly number[]
    readonly at: number
  }): Promise<void>

  holds(tenantId?: number): Promise<readonly HoldRow[]>
  /** Raises or keeps a hold; its id stays while it covers the same records. */
  raiseHold(hold: {
    readonly tenantId: number
    readonly resource: ResourceName | 'all'
    readonly reason: Reason
    readonly count: number
    readonly message: string
    readonly cause: HoldCause
    readonly rids?: readonly number[]
    readonly at: number
  }): Promise<HoldRow>
  liftHold(tenantId: number, resource: ResourceName | 'all', reason: Reason): Promise<boolean>
  pendingDecisions(tenantId: number): Promise<readonly DecisionRow[]>
  /**
   * Adds accepted removals: the ids of a hold `shrink_held` or for an announced empty page; all live ids for an
   * accepted empty list, and for `tenant_changed` with `coversKnown`. The latter also ends every waiver acceptance, and
   * earlier tombstones no longer identify the tenant. Has no effect when the hold is gone.
   */
  applyDecision(
    decision: DecisionRow,
    by: { readonly tenantId: number; readonly at: number; readonly coversKnown: boolean },
  ): Promise<void>
}
