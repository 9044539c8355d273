import type { Reason } from '../../model/reasons.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Severity } from '../../model/severity.ts'
import type { ChainHead } from '../audit/audit-port.ts'
import type { CheckStateRow, FindingStore } from '../findings/finding-port.ts'
import type { WaiverStore, WaiverTerms } from '../findings/waiver-port.ts'
import type { ChangeRow } from '../records/query.ts'

/** Every time in this file is in milliseconds since the epoch. */

export interface FindingEventRow {
  readonly at: number
  readonly kind: 'opened' | 'changed' | 'resolved' | 'reopened'
  readonly severity: Severity
  readonly message: string
  readonly evidence: Readonly<Record<string, unknown>>
  readonly resolution: string | null
}

export interface FindingTransition extends Pick<FindingEventRow, 'severity' | 'resolution'> {
  readonly fingerprint: string
  readonly kind: Exclude<FindingEventRow['kind'], 'changed'>
}

export interface TenantChangeRow extends ChangeRow {
  readonly tenant: string
}

export interface NamedChangeRow extends TenantChangeRow {
  /** Current personal fields of the record; absent if it has none or they were not requested. */
  readonly personal?: Readonly<Record<string, unknown>>
}

export interface ChangeFilter {
  readonly tenantId?: number
  readonly resources?: readonly ResourceName[]
  /** An id, in any letter case. The id of a singleton only matches if its resource is named. */
  readonly key?: string
  readonly field?: string
  readonly since?: number
  readonly until?: number
}

interface Decision {
  readonly tenant: string
  readonly at: number
  /** In the operator's words. */
  readonly reason: string
}

export interface AcceptedHold extends Decision {
  readonly accepted: 'hold'
  readonly id: string
  readonly resource: ResourceName | 'all'
  readonly holdReason: Reason
  /** Number of held records. */
  readonly count: number
  /** Null until a run has applied it. */
  readonly appliedAt: number | null
}

export interface AcceptedDrift extends Decision {
  readonly accepted: 'drift'
  readonly check: string
  readonly entityId: string
  readonly state: unknown
}

/** What an operator accepted (docs/operations.md#holds, docs/waivers.md#drift). */
export type OperatorDecision = AcceptedHold | AcceptedDrift

/** A waiver came into force (`terms`: first or renewed) or no longer covers a finding (docs/waivers.md). */
export interface WaiverChange extends WaiverTerms {
  readonly tenant: string
  readonly at: number
  readonly kind: 'agreed' | 'renewed' | 'lapsed'
  readonly check: string
  /** Entity as the waiver names it; for a lapse that of the finding. */
  readonly entity: string
  /** Fingerprint of the lapsed finding, else null. */
  readonly fingerprint: string | null
  /** Facts of the finding as JSON, accepted and current; null unless it lapsed. */
  readonly accepted: string | null
  readonly changed: string | null
}

export interface PastRun {
  readonly resource: ResourceName
  readonly endedAt: number
  readonly completeStartedAt: number | null
  readonly completeDurationMs: number | null
  /** Null in runs of the first release. */
  readonly live: number | null
}

export interface NotedConfiguration {
  readonly at: number
  readonly digest: string
  readonly content: string
}

/** The configuration of a tenant as JSON, for the views of PostgreSQL. */
export interface ConfiguredTenant {
  readonly tenant: string
  readonly resources: string
  readonly checks: string
  readonly waivers: string
}

export interface NewConfiguration extends NotedConfiguration {
  /** Tenants in force; absent = none. */
  readonly tenants?: readonly ConfiguredTenant[]
}

export interface RecordBounds {
  /** When a configuration was first stored; earlier ones are unknown. Null = never. */
  readonly begins: number | null
  /** Rows that ended before this time were erased; null = none. */
  readonly erasedBefore: number | null
}

/** The history as of `at`: the last row of each thing written by then. */
export interface PastReader {
  readonly at: number
  /** Set if `at` is in local time that repeated: the latest time before the clock was set back. */
  readonly setBackFrom: number | null
  clampToPeriod(time: number): number
  configuration(): Promise<NotedConfiguration | null>
  /** `evaluatedAt` is the last confirmation of the check result by then. */
  checkStates(tenantId: number): Promise<readonly CheckStateRow[]>
  tenantState(tenantId: number): Promise<string | null>
  runs(tenantId: number): Promise<readonly PastRun[]>
  /** Findings that were open then, in the order they were first opened; with `all`, resolved ones, too. */
  findings: FindingStore['findings']
  lapses: WaiverStore['lapses']
  lapseCounts: WaiverStore['lapseCounts']
  lapsedUnderAll: WaiverStore['lapsedUnderAll']
  isLive: FindingStore['isLive']
  /** Personal fields of records by id, of removed ones until their erasure. Unknown ids are left out. */
  personal(
    tenantId: number,
    resource: ResourceName,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>
  /** Oldest first. */
  decisions(tenantId: number): Promise<readonly OperatorDecision[]>
  /** Last event of the tenant's chain by then. */
  chainHead(tenantId: number): Promise<ChainHead | null>
}

export interface EvidenceStore {
  /** Records the configuration if it differs from the last one, and replaces the configured tenants. */
  noteConfiguration(noted: NewConfiguration): Promise<void>
  /** `state`: the facts behind the tenant's data quality, as JSON. */
  noteTenantState(tenantId: number, state: string, at: number): Promise<void>
  /** Call before each evaluation: records that the clock was set back, and when that time is passed again. */
  noteTime(at: number): Promise<void>
  /** Records that the server time agrees with the local clock at `at`: rows with later times are of a wrong clock. */
  confirmTime(at: number): Promise<void>
  /** Oldest first. */
  configurations(): AsyncIterable<NotedConfiguration>
  recordBounds(): Promise<RecordBounds>
  /** `present`: `at` is now. After the clock was set back, the past at the same time differs. */
  past(at: number, present: boolean): Promise<PastReader>
  findingEvents(fingerprint: string): Promise<readonly FindingEventRow[]>
  /** Findings that an evaluation at exactly `at` opened, reopened or resolved, in the order they were written. */
  findingTransitions(
    of: { readonly tenantId: number; readonly check: string; readonly at: number },
    most: number,
  ): Promise<readonly FindingTransition[]>
  fingerprintsFrom(prefix: string, most: number): Promise<readonly string[]>
  record: FindingStore['record']
  changes(filter: ChangeFilter): AsyncIterable<readonly TenantChangeRow[]>
  /** True for a record, live, removed or quarantined, and for a change of one. */
  hasEntity(filter: Pick<ChangeFilter, 'tenantId' | 'resources'> & { readonly key: string }): Promise<boolean>
  /** Oldest first; of all tenants if the id is null. */
  decisions(tenantId: number | null): Promise<readonly OperatorDecision[]>
  /** Oldest first; of all tenants if the id is null. */
  waiverChanges(tenantId: number | null): Promise<readonly WaiverChange[]>
  /** Newest first; searches the last 50,000 changes of all tenants. */
  latestChanges(tenantId: number, most: number, withPersonal: boolean): Promise<readonly NamedChangeRow[]>
}
