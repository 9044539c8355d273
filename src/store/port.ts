import type { ResourceName } from '../model/resource-names.ts'
import type { ChainVerification } from './audit/verify-chain.ts'
import type { eventStore } from './event-store.ts'
import type { findingStore } from './findings/finding-store.ts'
import type { resultStore } from './findings/result-store.ts'
import type { waiverStore } from './findings/waiver-store.ts'
import type { changeStore } from './history/changes.ts'
import type { clockStore } from './history/clock.ts'
import type { configurationLog } from './history/configuration-log.ts'
import type { erasureStore } from './history/erasure.ts'
import type { PastReader, pastStore } from './history/past-reader.ts'
import type { notificationStore } from './notification-store.ts'
import type { qualityStore } from './records/quality-store.ts'
import type { MirrorRecord, RecordReader } from './records/query.ts'
import type { fullSyncStore } from './sync/full-sync-store.ts'
import type { holdStore } from './sync/hold-store.ts'
import type { pageStore } from './sync/page-store.ts'
import type { tenantStore } from './sync/tenant-store.ts'

export type { StateMismatch } from './audit/compare-state.ts'
export type * from './audit/verify-chain.ts'
export type * from './event-store.ts'
export type * from './events.ts'
export { findingKinds, sharedChain, waiverKinds } from './events.ts'
export type * from './findings/finding-store.ts'
export type * from './findings/finding-writer.ts'
export type * from './findings/result-store.ts'
export type * from './findings/waiver-store.ts'
export type * from './history/changes.ts'
export type * from './history/configuration-log.ts'
export type * from './history/past-reader.ts'
export type * from './notification-store.ts'
export type * from './records/quality-store.ts'
export type { AdmittedPage, GroupCount, RecordCounts } from './schema/index.ts'
export type * from './sync/sync-port.ts'
export { noCounts } from './sync/sync-port.ts'
export { neverSynced } from './sync/sync-states.ts'
export type { FirstRecord } from './sync/tenant-store.ts'

/** What the sync engine reads and writes. */
export type SyncStore = ReturnType<typeof fullSyncStore> &
  ReturnType<typeof pageStore> &
  ReturnType<typeof tenantStore> &
  ReturnType<typeof holdStore>

/** What an evaluation reads and writes. */
export interface FindingStore
  extends ReturnType<typeof eventStore>,
    ReturnType<typeof findingStore>,
    ReturnType<typeof resultStore>,
    ReturnType<typeof waiverStore>,
    Omit<ReturnType<typeof qualityStore>, 'quarantined'>,
    Pick<SyncStore, 'firstRecords' | 'holds' | 'syncState' | 'tenant' | 'tenants'>,
    Pick<ReturnType<typeof clockStore>, 'isOfWrongClock' | 'unconfirmedTime'> {
  records(tenantId: number): RecordReader
  record(tenantId: number, resource: ResourceName, key: string): Promise<MirrorRecord | null>
}

/** The local database copy of all tenants. Methods are complete operations, so other databases can implement it. */
export interface Mirror
  extends SyncStore,
    FindingStore,
    ReturnType<typeof changeStore>,
    ReturnType<typeof clockStore>,
    ReturnType<typeof configurationLog>,
    ReturnType<typeof notificationStore>,
    ReturnType<typeof pastStore>,
    Pick<PastReader, 'personal'>,
    Pick<ReturnType<typeof qualityStore>, 'quarantined'>,
    AdminStore,
    AsyncDisposable {
  /** Reads in one transaction, so that all parts of `work` see the same state; it must not ask for two at a time. */
  snapshot<T>(work: (store: Stores) => Promise<T>): Promise<T>
}

/** All operations that are the same on every database. */
export type Stores = Omit<Mirror, 'isVerified' | 'ping' | 'verify' | typeof Symbol.asyncDispose>

/** Methods by which outputs read a tenant; the history provides them as of a time. */
export type PostureStore = Pick<
  FindingStore,
  'checkStates' | 'events' | 'findings' | 'holds' | 'isLive' | 'tenant' | 'tenants' | 'quality' | 'unconfirmedTime'
>

export interface AdminStore extends ReturnType<typeof erasureStore> {
  /** Compares the events of a tenant with their hash chain, and the present state with its last events. */
  verifyChain(tenantId: number, heads?: readonly string[]): Promise<ChainVerification>
  /** @throws FatalError when the store is lost, replaced or damaged. */
  ping(): Promise<void>
  /** False until a store that was too large to verify at opening is verified. */
  isVerified(): boolean
  /** Takes about 10 ms per megabyte. @throws FatalError when it is damaged, the signal's reason when aborted. */
  verify(signal?: AbortSignal): Promise<void>
}
