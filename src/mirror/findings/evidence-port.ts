import type { ResourceName } from '../../model/resource-names.ts'
import type { Severity } from '../../model/severity.ts'
import type { ChangeRow } from '../records/query.ts'
import type { CheckStateRow, FindingStore, WaiverStore } from './finding-port.ts'

/** Every time in this file is in milliseconds since the epoch. */

/** A step in the life of a finding. */
export interface FindingEventRow {
  readonly at: number
  readonly kind: 'opened' | 'changed' | 'resolved' | 'reopened'
  readonly severity: Severity
  readonly message: string
  readonly evidence: Readonly<Record<string, unknown>>
  readonly resolution: string | null
}

/** A change of a mirrored record, with the tenant it belongs to. */
export interface TenantChangeRow extends ChangeRow {
  readonly tenant: string
}

export interface ChangeFilter {
  readonly tenantId?: number
  readonly resources?: readonly ResourceName[]
  /** An id, in any spelling; that of a tenant's one object is meant only where its resource is named. */
  readonly key?: string
  readonly field?: string
  /** Both inclusive. */
  readonly since?: number
  readonly until?: number
}

/** Where a resource stood after its last run. */
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
  /** JSON as it was noted. */
  readonly content: string
}

/** How far back the record goes. */
export interface RecordBounds {
  /** When a configuration was first noted: what was in force before is not known. Null = never. */
  readonly begins: number | null
  /** What ended before this time was erased; null = nothing was. */
  readonly erasedBefore: number | null
}

/** The record as it stood at one time: of each thing, what was last written by then. */
export interface PastReader {
  readonly at: number
  /** Set while the time lies in hours that the clock showed twice: until when it had come before it was set back. */
  readonly setBackFrom: number | null
  /** A time of the record that lies ahead of `at` as it was lived: when the clock was set back from there. */
  clampToLife(time: number): number
  configuration(): Promise<NotedConfiguration | null>
  /** `evaluatedAt` is when the check result was last confirmed by then. */
  checkStates(tenantId: number): Promise<readonly CheckStateRow[]>
  /** JSON as it was noted; null = none by then. */
  tenantState(tenantId: number): Promise<string | null>
  runs(tenantId: number): Promise<readonly PastRun[]>
  /** Findings that were open then, in the order they were first opened; resolved ones, too, with `all`. */
  findings: FindingStore['findings']
  lapses: WaiverStore['lapses']
  lapseCounts: WaiverStore['lapseCounts']
  lapsedUnderAll: WaiverStore['lapsedUnderAll']
  isLive: FindingStore['isLive']
}

/** What auditors ask for: what was true, since when, and how that is known. Nothing that stays the same is written. */
export interface EvidenceStore {
  /** Notes what is configured, if it is another than the last. */
  noteConfiguration(noted: NotedConfiguration): Promise<void>
  /** Notes what the trust in a tenant's mirror hangs on, if it is another than the last. */
  noteTenantState(tenantId: number, state: string, at: number): Promise<void>
  /** Told the time before each evaluation: notes that the clock was set back. */
  noteTime(at: number): Promise<void>
  /** Notes that the server time of a tenant agrees with the local clock at `at`: what is dated later was a wrong clock's. */
  confirmTime(at: number): Promise<void>
  recordBounds(): Promise<RecordBounds>
  /** The record at `at`; `present` when that is now, which matters after the clock was set back. */
  past(at: number, present: boolean): Promise<PastReader>
  /** The life of a finding, oldest first. */
  findingEvents(fingerprint: string): Promise<readonly FindingEventRow[]>
  /** Fingerprints that begin so, at most `most`. */
  fingerprintsFrom(prefix: string, most: number): Promise<readonly string[]>
  /** The live record with this key; null when there is none. */
  record: FindingStore['record']
  /** Changes of mirrored records, oldest first. */
  changes(filter: ChangeFilter): AsyncIterable<readonly TenantChangeRow[]>
  /** True when there is anything of an entity: a record, live or removed, one in quarantine, or a change. */
  hasEntity(filter: Pick<ChangeFilter, 'tenantId' | 'resources'> & { readonly key: string }): Promise<boolean>
  /** The last changes of a tenant among the last 50,000 of all, newest first. */
  latestChanges(tenantId: number, most: number): Promise<readonly TenantChangeRow[]>
}
