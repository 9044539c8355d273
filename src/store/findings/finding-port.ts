import type { CheckStatus, Resolution } from '../../model/check-status.ts'
import type { DecidedStatus } from '../../model/decide-status.ts'
import type { UnknownReason } from '../../model/reasons.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Severity, SeverityCounts } from '../../model/severity.ts'
import type { MirrorRecord, RecordReader, Scalar } from '../records/query.ts'
import type { HoldRow, ResourceQuality, TenantRow } from '../sync/sync-port.ts'
import type { WaiverChanges, WaiverStore, WaiverTerms } from './waiver-port.ts'

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
  /** Personal fields of the finding's record, if the filter requests them. */
  readonly personal?: Readonly<Record<string, unknown>>
}

export interface CheckStateRow {
  readonly check: string
  readonly status: CheckStatus
  readonly reason: UnknownReason | null
  /** Null when not known. */
  readonly entities: number | null
  readonly notEvaluated: number | null
  readonly since: number
  readonly evaluatedAt: number
  /** Last known instant at which the same records give this result; null when they give it at any time. */
  readonly validUntil: number | null
  /** Digest of the thresholds and lists in force; null when the check could not be evaluated. */
  readonly rule: string | null
  readonly open: Readonly<SeverityCounts>
}

/** An open finding without its texts. */
export interface OpenFindingDigest {
  readonly fingerprint: string
  readonly entityType: string
  readonly entityId: string
  readonly severity: Severity
  /** Of severity, message and facts; equal = nothing to write. */
  readonly digest: string
}

export interface StoredFinding extends Pick<FindingRow, 'fingerprint' | 'firstSeenAt' | 'resolvedAt' | 'reopened'> {
  /** JSON. */
  readonly evidence: string
}

/** A finding as a check result writes it. */
export interface WrittenFinding
  extends OpenFindingDigest,
    Pick<FindingRow, 'message' | 'firstSeenAt' | 'reopened'>,
    Pick<StoredFinding, 'evidence'> {
  /** `replaced`: the entity's id was reused, so that the finding ends and a new one begins. */
  readonly kind: 'opened' | 'reopened' | 'changed' | 'replaced'
  /** True if the replaced finding was open. */
  readonly replacesOpen: boolean
}

export interface ResolvedFinding {
  readonly fingerprint: string
  readonly resolution: Resolution
}

export interface CheckResult extends DecidedStatus {
  readonly check: string
  readonly entities: number | null
  readonly notEvaluated: number | null
  /** See `CheckStateRow`. */
  readonly rule: string | null
  /** See `CheckStateRow`. */
  readonly validUntil: number | null
  /** Findings that are open after the changes, by severity. */
  readonly open: Readonly<SeverityCounts>
  readonly written: readonly WrittenFinding[]
  readonly resolved: readonly ResolvedFinding[]
  readonly waivers: WaiverChanges
  /** Why an own check cannot be evaluated, or the entities that a check could not evaluate; null = none. */
  readonly problem: string | null
}

/** Takes effect as a whole or not at all. */
export interface SavedResults {
  readonly results: readonly CheckResult[]
  /** Absent = unchanged. */
  readonly counts?: ReadonlyMap<ResourceName, RecordCounts>
  /** How long a check result is shown without confirmation, in milliseconds; absent = 15 minutes. */
  readonly currentForMs?: number | undefined
}

export interface GroupCount {
  readonly values: readonly Scalar[]
  readonly count: number
}

/** Counts of the live records of a resource, as of the last evaluation. */
export interface RecordCounts {
  readonly fields: readonly string[]
  /** By the values of these fields. */
  readonly groups: readonly GroupCount[]
  /** True if two records have the same value of the resource's unique field. */
  readonly repeats: boolean
}

/** `uncertain`: a live record that was quarantined since, is missing, or was absent from the last complete full sync. */
export type RecordPresence = 'live' | 'uncertain' | 'removed'

/** An absent field does not restrict. */
export interface FindingFilter {
  readonly tenantIds?: readonly number[]
  /** Absent = open ones only. */
  readonly all?: boolean
  readonly check?: string
  readonly severities?: readonly Severity[]
  readonly fingerprints?: readonly string[]
  /** In any letter case. A prefilter: findings without this text may pass. */
  readonly text?: string
  /** Returns personal fields of records, and searches the text in them, too. Absent = reads none. */
  readonly withPersonal?: boolean
  readonly newestFirst?: boolean
  /** Sorts by the entity's id, in natural order. */
  readonly byEntity?: 'ascending' | 'descending'
  /** Milliseconds since the epoch; only findings that were opened, changed, reopened or resolved then or later. */
  readonly since?: number
  /** Fingerprint; only findings after it, none if it is unknown. */
  readonly after?: string
}

export interface FindingStore extends WaiverStore {
  records(tenantId: number): RecordReader
  quality(tenantId: number): Promise<readonly ResourceQuality[]>
  isLive(tenantId: number, resource: ResourceName, key: string): Promise<boolean>
  /** By key; none for a record whose row is gone. */
  presence(
    tenantId: number,
    resource: ResourceName,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, RecordPresence>>
  record(tenantId: number, resource: ResourceName, key: string): Promise<MirrorRecord | null>
  checkStates(tenantId: number): Promise<readonly CheckStateRow[]>
  openDigests(tenantId: number, check: string): AsyncIterable<readonly OpenFindingDigest[]>
  /** Open or resolved. */
  storedFindings(fingerprints: readonly string[]): Promise<readonly StoredFinding[]>
  saveResults(tenantId: number, at: number, saved: SavedResults): Promise<void>
  /** The last results of these checks are those of `at`, too: otherwise they are soon no longer shown. */
  confirmResults(tenantId: number, checks: readonly string[], at: number, currentForMs?: number): Promise<void>
  recordCounts(tenantId: number): Promise<ReadonlyMap<ResourceName, RecordCounts>>
  /** Changes with every write of this engine to the resource. */
  dataVersion(tenantId: number, resource: ResourceName): number
  /** In the order in which they were first opened. */
  findings(filter: FindingFilter): AsyncIterable<readonly FindingRow[]>
  /** Newest time recorded before the clock was set back; null if none, or if an answer confirmed the clock since. */
  unconfirmedTime(): Promise<number | null>
  /** True if the clock turned out to be wrong at the last opening of the finding; `now` is the confirmed time. */
  isOfWrongClock(fingerprint: string, now: number): Promise<boolean>
  holds(tenantId?: number): Promise<readonly HoldRow[]>
  tenants(): Promise<readonly TenantRow[]>
  /**
   * The live record with the first id, of each list whose ids exist in one tenant only: two configured tenants that are
   * the same one share it.
   */
  firstRecords(): Promise<readonly FirstRecord[]>
  tenant(tenantId: number): Promise<TenantRow>
  checkProblems(tenantId: number): Promise<ReadonlyMap<string, string>>
}

export interface FirstRecord {
  readonly tenant: string
  readonly resource: ResourceName
  readonly key: string
}

export interface OpenFinding {
  readonly fingerprint: string
  readonly entityType: string
  readonly entityId: string
  readonly severity: Severity
}

export interface OpenFindingStore {
  /** Waived ones included, longest open first. `lapsedUnder`: only those that this waiver no longer covers. */
  openFindings(
    tenantId: number,
    check: string,
    severity: Severity,
    lapsedUnder?: WaiverTerms,
  ): AsyncIterable<readonly OpenFinding[]>
  /** Changes with every write of this engine to the findings of a check or their acceptances. */
  findingVersion(tenantId: number, check: string): number
}
