import type { CheckStatus, Resolution } from '../../model/check-status.ts'
import type { DecidedStatus } from '../../model/decide-status.ts'
import type { UnknownReason } from '../../model/reasons.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Severity, SeverityCounts } from '../../model/severity.ts'
import type { MirrorRecord, RecordReader } from '../records/query.ts'
import type { HoldRow, ResourceQuality, TenantRow } from '../sync/sync-port.ts'

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

/** Applied as one difference from the stored findings, or not at all. */
export interface CheckResult {
  readonly tenantId: number
  readonly check: string
  readonly at: number
  readonly entities: number | null
  readonly notEvaluated?: number | null
  /** How long a check result is shown without confirmation, in milliseconds; absent = 15 minutes. */
  readonly currentForMs?: number
  readonly rule: string | null
  /** Each failing entity once, in batches to bound memory. */
  readonly failing: AsyncIterable<readonly NewFinding[]> | Iterable<readonly NewFinding[]>
  readonly decide: (failing: number) => DecidedStatus
  /** See `CheckStateRow`; called after `failing` is read, unless the status is `unknown`; absent when it is not known. */
  readonly validUntil?: () => Promise<number>
  /** Resolution of an open finding that no longer fails; null, for unreliable inputs, keeps it open. */
  readonly resolve: (
    finding: Pick<FindingRow, 'entityType' | 'entityId' | 'evidence' | 'fingerprint'>,
  ) => Promise<Resolution | null>
}

export interface NewFinding
  extends Pick<FindingRow, 'fingerprint' | 'entityType' | 'entityId' | 'severity' | 'message' | 'evidence'> {
  /** Facts, a JSON object, whose change ends a waiver's acceptance; called only for written findings; absent = `{}`. */
  readonly facts?: () => string
  /** False when the stored evidence is about an earlier entity with the same id; absent = never. */
  readonly isSameEntity?: (stored: FindingRow['evidence']) => boolean
}

export interface CommittedResult extends DecidedStatus {
  /** See `CheckStateRow`; absent when it is not known. */
  readonly validUntil?: number
  readonly opened: number
  readonly resolved: Readonly<Partial<Record<Resolution, number>>>
}

/** Check results that take effect together, except those with more findings than fit into a transaction. */
export interface ResultBatch {
  /** Resolves with the result as `commit` will store it; it is not shown before. */
  add(checkResult: CheckResult): Promise<CommittedResult>
  commit(): Promise<void>
}

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
  /** True for a record that tenantwatch removed; false for a live one, and for one whose row is gone. */
  isTombstone(tenantId: number, resource: ResourceName, key: string): Promise<boolean>
  record(tenantId: number, resource: ResourceName, key: string): Promise<MirrorRecord | null>
  /** True for a live record that was quarantined since, is missing, or was absent from the last complete full sync. */
  isUncertain(tenantId: number, resource: ResourceName, key: string): Promise<boolean>
  checkStates(tenantId: number): Promise<readonly CheckStateRow[]>
  commitResult(checkResult: CheckResult): Promise<CommittedResult>
  resultBatch(): ResultBatch
  /** Kept in memory until `storeConfirmations`, unless the history has a gap before it. */
  confirmResult(tenantId: number, check: string, at: number, currentForMs?: number): Promise<void>
  /** Writes the confirmations of check results that were last written more than five minutes ago. */
  storeConfirmations(): Promise<void>
  /** For evaluations that cannot be stored: no process shows `pass` and `not_applicable` any longer. */
  expirePasses(tenantId: number): Promise<void>
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
  /** `problem`: why an own check cannot be evaluated, or the entities that a check could not evaluate; null = none. */
  noteProblem(tenantId: number, check: string, problem: string | null): Promise<void>
  checkProblems(tenantId: number): Promise<ReadonlyMap<string, string>>
}

export interface FirstRecord {
  readonly tenant: string
  readonly resource: ResourceName
  readonly key: string
}

/** Times are milliseconds since the epoch. */
export interface NotedWaiver {
  readonly id: string
  readonly check: string
  readonly entity: string
  /** `entity` as spelled in the mirror's keys. */
  readonly entityKey: string
  /** Digest of the agreed terms; a different one is a renewal. */
  readonly terms: string
  readonly since: number
  readonly expiresAt: number
}

export interface Acceptance {
  readonly fingerprint: string
  readonly severity: Severity
  readonly facts: string
  /** True when opened after a waiver for all was agreed. */
  readonly later: boolean
}

export interface WaiverTerms {
  readonly waiver: string
  readonly terms: string
}

/** A waiver no longer covers an open finding, because accepted facts changed. */
export interface Lapse extends WaiverTerms {
  readonly fingerprint: string
  readonly lapsedAt: number
  /** JSON objects of the material facts, as accepted and as changed. */
  readonly accepted: string | null
  readonly changed: string | null
}

export interface LapseEvent extends Pick<Lapse, 'fingerprint' | 'waiver'> {
  readonly check: string
}

export interface LapseCount extends WaiverTerms {
  readonly severity: Severity
  readonly count: number
}

export interface WaiverBreadth {
  readonly waiver: string
  readonly terms: string
  readonly later: boolean
  readonly moreSevere: boolean
}

export interface AcceptedState {
  readonly entityId: string
  /** Null = none, as for a removed entity. */
  readonly state: unknown
  readonly at: number
  readonly reason: string | null
}

export interface AcceptedStateOf extends AcceptedState {
  readonly tenantId: number
  readonly check: string
}

/** Decisions of operators about findings. Check results update acceptances and lapses themselves. */
export interface WaiverStore {
  notedWaivers(tenantId: number): Promise<readonly NotedWaiver[]>
  /** Ends acceptances under earlier terms and deletes the waiver, so that it is noted again. */
  dropAcceptances(tenantId: number, waiver: string): Promise<void>
  /** Adds acceptances for stored findings; existing ones stay. */
  noteAcceptances(
    tenantId: number,
    waiver: Pick<NotedWaiver, 'id' | 'check' | 'terms'>,
    accepted: readonly Acceptance[],
    at: number,
  ): Promise<void>
  /** From now on, check results add acceptances for findings that the waiver newly covers. */
  noteWaiver(tenantId: number, waiver: NotedWaiver): Promise<void>
  lapses(fingerprints: readonly string[]): Promise<readonly Lapse[]>
  /** Lapsed open findings by waiver; counts can be 0. */
  lapseCounts(tenantId: number, check: string): Promise<readonly LapseCount[]>
  /** Open findings that have lapsed under every one of these waivers, by severity. */
  lapsedUnderAll(
    tenantId: number,
    check: string,
    waivers: readonly WaiverTerms[],
  ): Promise<readonly Pick<LapseCount, 'severity' | 'count'>[]>
  /** Lapses that an evaluation at exactly `at` found. */
  lapsesAt(tenantId: number, at: number, most: number): Promise<readonly LapseEvent[]>
  waiverBreadth(tenantId: number): Promise<readonly WaiverBreadth[]>
  /** The last accepted state of each entity; null before the first states are stored. */
  acceptedStates(tenantId: number, check: string): Promise<readonly AcceptedState[] | null>
  keepFirstStates(
    tenantId: number,
    check: string,
    states: readonly Pick<AcceptedState, 'entityId' | 'state'>[],
    at: number,
  ): Promise<void>
  /** Accepts all states or none; false if one was already accepted as it is. */
  acceptStates(accepted: readonly AcceptedStateOf[]): Promise<boolean>
  /** Changes with each accepted state of a check; 0 before the first. */
  acceptedVersion(tenantId: number, check: string): Promise<number>
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
