import type { CheckStatus, Resolution } from '../../model/check-status.ts'
import type { DecidedStatus } from '../../model/decide-status.ts'
import type { UnknownReason } from '../../model/reasons.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Severity } from '../../model/severity.ts'
import type { NoAnswer, OwnAnswer, OwnQuery } from '../own-checks/question.ts'
import type { MirrorRecord, RecordReader } from '../records/query.ts'
import type { HoldRow, ResourceQuality, TenantRow } from '../sync/sync-port.ts'

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
export interface FindingStore extends WaiverStore {
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
  /**
   * Asks a query over the views of one tenant, whatever it is: it can write nothing, see nothing else and is ended when
   * it takes too much.
   *
   * @throws the signal's reason when aborted.
   */
  ask(tenantId: number, query: OwnQuery, signal?: AbortSignal): Promise<OwnAnswer | NoAnswer>
  /** Keeps why an own check cannot be evaluated, or which entities another one could not evaluate; null when it could all. */
  noteProblem(tenantId: number, check: string, problem: string | null): Promise<void>
  /** What was noted of a tenant's checks, by check. */
  checkProblems(tenantId: number): Promise<ReadonlyMap<string, string>>
}

/** A waiver of the configuration as the engine knows it; times are milliseconds since the epoch. */
export interface NotedWaiver {
  readonly id: string
  readonly check: string
  /** As written; `*` for all. */
  readonly entity: string
  /** The same as the mirror's keys have it. */
  readonly entityKey: string
  /** Digest of what was agreed: another one is a renewal. */
  readonly terms: string
  /** When the engine first evaluated by these terms. */
  readonly since: number
  readonly expiresAt: number
}

/** What a waiver accepts of one finding. */
export interface Acceptance {
  readonly fingerprint: string
  readonly severity: Severity
  /** JSON object of the material facts. */
  readonly facts: string
  /** True when it was opened after a waiver for all was agreed. */
  readonly later: boolean
}

/** What was agreed with a waiver at one time. */
export interface WaiverTerms {
  readonly waiver: string
  readonly terms: string
}

/** A waiver that covers an open finding no longer, because what it accepted has changed. */
export interface Lapse extends WaiverTerms {
  readonly fingerprint: string
  readonly lapsedAt: number
  /** JSON objects of the material facts: those accepted, and those that ended it. */
  readonly accepted: string | null
  readonly changed: string | null
}

/** How many open findings of a check and severity a waiver covers no longer. */
export interface LapseCount extends WaiverTerms {
  readonly severity: Severity
  readonly count: number
}

/** In which ways a waiver covers more than was looked at when it was agreed. */
export interface WaiverBreadth {
  readonly waiver: string
  readonly terms: string
  readonly later: boolean
  readonly moreSevere: boolean
}

/** What an operator, or a check's first look, declared to be the state that drift is measured from. */
export interface AcceptedState {
  readonly entityId: string
  /** Null = there is none, as of what was removed. */
  readonly state: unknown
  readonly at: number
  /** Why; null for the first state that was seen. */
  readonly reason: string | null
}

/** What people decided about findings. A check result that changes a finding keeps acceptances and lapses up by itself. */
export interface WaiverStore {
  notedWaivers(tenantId: number): Promise<readonly NotedWaiver[]>
  /** Ends what a waiver accepted under earlier terms, and forgets these: it is noted again, whatever it says by then. */
  dropAcceptances(tenantId: number, waiver: string): Promise<void>
  /** Notes what a waiver accepts of findings that are stored; what is noted already stays. */
  noteAcceptances(
    tenantId: number,
    waiver: Pick<NotedWaiver, 'id' | 'check' | 'terms'>,
    accepted: readonly Acceptance[],
    at: number,
  ): Promise<void>
  /** From here on check results note by themselves what the waiver comes to cover. */
  noteWaiver(tenantId: number, waiver: NotedWaiver): Promise<void>
  /** Of the open findings with these fingerprints. */
  lapses(fingerprints: readonly string[]): Promise<readonly Lapse[]>
  /** Of the open findings of a check, for each noted waiver alone; counts of 0 may be among them. */
  lapseCounts(tenantId: number, check: string): Promise<readonly LapseCount[]>
  /** How many open findings of a check, by severity, have lapsed under each of these waivers. */
  lapsedUnderAll(
    tenantId: number,
    check: string,
    waivers: readonly WaiverTerms[],
  ): Promise<readonly Pick<LapseCount, 'severity' | 'count'>[]>
  waiverBreadth(tenantId: number): Promise<readonly WaiverBreadth[]>
  /** The last accepted state of each entity; null while a check has not kept its first states. */
  acceptedStates(tenantId: number, check: string): Promise<readonly AcceptedState[] | null>
  /** Keeps the first states of a check as a whole, once. */
  keepFirstStates(
    tenantId: number,
    check: string,
    states: readonly Pick<AcceptedState, 'entityId' | 'state'>[],
    at: number,
  ): Promise<void>
  acceptState(tenantId: number, check: string, state: AcceptedState): Promise<void>
  /** Another number after each state that was accepted for a check; 0 before the first. */
  acceptedVersion(tenantId: number, check: string): number
}

/** An open finding without its evidence. */
export interface OpenFinding {
  readonly fingerprint: string
  readonly entityType: string
  readonly entityId: string
  readonly severity: Severity
}

/** What names a few of the open findings, however many there are. */
export interface OpenFindingStore {
  /**
   * Open findings of a check and severity, waived ones too, in batches: those first seen longest ago in front, then by
   * fingerprint. A reader that stops early leaves the others unread.
   *
   * @param lapsedUnder only those that this waiver covers no longer; all of these are read for each batch.
   */
  openFindings(
    tenantId: number,
    check: string,
    severity: Severity,
    lapsedUnder?: WaiverTerms,
  ): AsyncIterable<readonly OpenFinding[]>
  /** Another number after every change by this engine of the findings of a check, or of what waivers accept of them. */
  findingVersion(tenantId: number, check: string): number
}
