import type { ResourceName } from '../model/resource-names.ts'
import type { AuditStore } from './audit/audit-port.ts'
import type { FindingStore, OpenFindingStore } from './findings/finding-port.ts'
import type { EvidenceStore } from './history/evidence-port.ts'
import type { Erasure } from './records/record-retention.ts'
import type { fullSyncStore } from './sync/full-sync-store.ts'
import type { pageStore } from './sync/page-store.ts'
import type { HoldStore } from './sync/sync-port.ts'
import type { tenantStore } from './sync/tenant-store.ts'

export type * from './audit/audit-port.ts'
export { sharedChain } from './event-store.ts'
export type * from './findings/finding-port.ts'
export type * from './findings/waiver-port.ts'
export type * from './history/evidence-port.ts'
export type * from './sync/sync-port.ts'
export { noCounts } from './sync/sync-port.ts'

/** What the sync engine reads and writes. */
export type SyncStore = ReturnType<typeof fullSyncStore> &
  ReturnType<typeof pageStore> &
  ReturnType<typeof tenantStore> &
  HoldStore

/** The local database copy of all tenants. Methods are complete operations, so other databases can implement it. */
export interface Mirror
  extends SyncStore,
    FindingStore,
    OpenFindingStore,
    EvidenceStore,
    AuditStore,
    AdminStore,
    AsyncDisposable {}

/** Methods by which outputs read a tenant; the history provides them as of a time. */
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
>

export interface QuarantinedRecord {
  readonly tenant: string
  readonly resource: ResourceName
  /** A digest if no id could be read. */
  readonly id: string
  /** Names fields and kinds of values, no values. */
  readonly problem: string
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly requestId: string | null
}

export interface AdminStore {
  decide(decision: { readonly holdId: string; readonly reason: string; readonly at: number }): Promise<void>
  /** Ids of the records that accepting the hold removes; null if it names none. */
  heldRecords(holdId: string): Promise<{ readonly resource: ResourceName; readonly ids: readonly string[] } | null>
  quarantined(): Promise<readonly QuarantinedRecord[]>
  /** Erases personal fields, history and runs that ended before their tenant's time. */
  eraseOutdated(erasure: Erasure): Promise<void>
  purgeTenant(tenantId: number): Promise<void>
  /** Names of tenants with data due for erasure: findings resolved, or named records removed, before `before`. */
  overdueErasure(before: number): Promise<readonly string[]>
  /** @throws FatalError when the store is lost, replaced or damaged. */
  ping(): Promise<void>
  /** False until a store that was too large to verify at opening is verified. */
  isVerified(): boolean
  /** Takes about 10 ms per megabyte. @throws FatalError when it is damaged, the signal's reason when aborted. */
  verify(signal?: AbortSignal): Promise<void>
}
