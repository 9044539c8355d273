import type { CheckStatus, Resolution } from '../../model/check-status.ts'
import type { DecidedStatus } from '../../model/decide-status.ts'
import type { UnknownReason } from '../../model/reasons.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Severity } from '../../model/severity.ts'
import type { OwnCheckStore } from '../own-checks/own-check-port.ts'
import type { MirrorRecord, RecordReader } from '../records/query.ts'
import type { Erasure } from '../records/record-retention.ts'
import type { HoldRow, ResourceQuality, TenantRow } from '../sync/sync-port.ts'
import type { WaiverStore } from './waiver-port.ts'

/** A finding as stored. */
export interface FindingRow {
  readonly fingerprint: string
  readonly tenant: string
  readonly check: string
  readonly entityType: string
  readonly entityId: string
  readonly severity: Severity
  readonly message: string
  readonly evidence: Readonly<Record<string, unknown>>
  readonly firstSeenAt: number
  readonly lastSeenAt: number
  readonly resolvedAt: number | null
  readonly resolution: Resolution | null
  readonly reopened: number
}

export interface CheckStateRow {
  readonly check: string
  readonly status: CheckStatus
  readonly reason: UnknownReason | null
  /** How many entities the check is about; null when that was not known. */
  readonly entities: number | null
  /** How many of them could not be evaluated; null when that was not known. */
  readonly notEvaluated: number | null
  readonly since: number
  readonly evaluatedAt: number
  /** Digest of the thresholds and lists that decided; null when the check could not be evaluated. */
  readonly rule: string | null
  /** Open findings by severity. */
  readonly open: Readonly<Partial<Record<Severity, number>>>
}

/** What an evaluation of one check finds: it takes effect as one difference against what is stored, or not at all. */
export interface CheckResult {
  readonly tenantId: number
  readonly check: string
  readonly at: number
  /** How many entities the check is about; null when that was not known. */
  readonly entities: number | null
  /** How many of them could not be evaluated; absent as null: that was not known. */
  readonly notEvaluated?: number | null
  /** For how long a check result is shown without being confirmed, in milliseconds; absent = 15 minutes. */
  readonly currentForMs?: number
  /** Digest of the thresholds and lists that decided; null when the check could not be evaluated. */
  readonly rule: string | null
  /** Everything that fails now, each entity once, in batches so that a million do not meet in memory. */
  readonly failing: AsyncIterable<readonly NewFinding[]> | Iterable<readonly NewFinding[]>
  /** The status, asked once it is known how many fail. */
  readonly decide: (failing: number) => DecidedStatus
  /**
   * How an open finding that no longer fails ends; null keeps it open (its inputs cannot be trusted). Asked for each.
   */
  readonly resolve: (
    finding: Pick<FindingRow, 'entityType' | 'entityId' | 'evidence' | 'fingerprint'>,
  ) => Promise<Resolution | null>
}

export interface NewFinding {
  readonly fingerprint: string
  readonly entityType: string
  readonly entityId: string
  readonly severity: Severity
  readonly message: string
  readonly evidence: Readonly<Record<string, unknown>>
  /**
   * Gives a JSON object of the facts that a waiver accepts with the finding: others end its acceptance. Asked only of
   * what is written; absent = `{}`.
   */
  readonly facts?: () => string
  /** False when the stored evidence is about another entity that had the same id before; absent = it never is. */
  readonly isSameEntity?: (stored: FindingRow['evidence']) => boolean
}

export interface CommittedResult extends DecidedStatus {
  readonly opened: number
  readonly resolved: Readonly<Partial<Record<Resolution, number>>>
}

/** The side of evaluation. */
export interface FindingStore extends OwnCheckStore, WaiverStore {
  records(tenantId: number): RecordReader
  quality(tenantId: number): Promise<readonly ResourceQuality[]>
  /** True while the record is live. */
  isLive(tenantId: number, resource: ResourceName, key: string): Promise<boolean>
  /** The live record with this key; null when there is none. */
  record(tenantId: number, resource: ResourceName, key: string): Promise<MirrorRecord | null>
  /** True while the last reading of a live record is not to be relied on: quarantined since, missing, or absent from the last complete full sync. */
  inDoubt(tenantId: number, resource: ResourceName, key: string): Promise<boolean>
  checkStates(tenantId: number): Promise<readonly CheckStateRow[]>
  commitResult(checkResult: CheckResult): Promise<CommittedResult>
  /** The last check result of a check is that of `at`, too; `currentForMs` as in a check result. */
  confirmResult(tenantId: number, check: string, at: number, currentForMs?: number): Promise<void>
  /** Another number after every change of what is mirrored of the resource by this engine. */
  dataVersion(tenantId: number, resource: ResourceName): number
  /**
   * Findings in the order they were first opened, or the other way round; open ones only unless `all`; only those of
   * `fingerprints` when given. `text` leaves out what surely does not have it in it, in any letter case; what is handed
   * over need not have it.
   */
  findings(filter: {
    readonly tenantIds?: readonly number[]
    readonly all?: boolean
    readonly check?: string
    readonly fingerprints?: readonly string[]
    readonly text?: string
    readonly newestFirst?: boolean
  }): AsyncIterable<readonly FindingRow[]>
  /**
   * The newest time stored before the clock was set back, in milliseconds since the epoch; null when there is none or an
   * answer has confirmed the clock since.
   */
  unconfirmedTime(): Promise<number | null>
  /** True when the clock by which a finding was opened last proved wrong; `now` is the confirmed time. */
  isOfWrongClock(fingerprint: string, now: number): Promise<boolean>
  holds(tenantId?: number): Promise<readonly HoldRow[]>
  tenants(): Promise<readonly TenantRow[]>
  tenant(tenantId: number): Promise<TenantRow>
}

/** What outputs are told of a tenant by; also answered by the record, as of a time. */
export type PostureStore = Pick<
  FindingStore,
  | 'checkStates'
  | 'findings'
  | 'holds'
  | 'isLive'
  | 'lapseCounts'
  | 'lapsedUnderAll'
  | 'lapses'
  | 'tenant'
  | 'tenants'
  | 'quality'
  | 'unconfirmedTime'
  | 'waiverBreadth'
>

/** What operators and outputs need beside. */
export interface AdminStore {
  /** Puts the decision row for a hold; the engine applies it before its next run. */
  decide(decision: { readonly holdId: string; readonly reason: string; readonly at: number }): Promise<void>
  /**
   * Erases the personal fields of tombstones, and history and runs, that ended before the time of their tenant; a number
   * is the time of all of them.
   */
  purge(erasure: Erasure | number): Promise<void>
  /** Erases everything that belongs to a tenant, its row included. */
  purgeTenant(tenantId: number): Promise<void>
  /** Names of the tenants with resolved findings, or names of removed records, that ended before `before`. */
  overdueErasure(before: number): Promise<readonly string[]>
  /**
   * Cheap proof that the store answers and is the one that was opened.
   *
   * @throws FatalError when it is lost, replaced or has shown damage: nothing may go on with it.
   */
  ping(): Promise<void>
  /** False while a store that is too large to be read at its opening has not been read for damage since. */
  isVerified(): boolean
  /**
   * Reads the whole store for damage, about 10 ms a megabyte, while other work goes on.
   *
   * @throws FatalError when it is damaged; the signal's reason when aborted.
   */
  verify(signal?: AbortSignal): Promise<void>
}
