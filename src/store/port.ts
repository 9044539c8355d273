import type { Stores } from './stores.ts'
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
export { hasEnded } from './findings/waiver-store.ts'
export type * from './history/changes.ts'
export type * from './history/configuration-log.ts'
export type * from './history/past-reader.ts'
export type * from './notification-store.ts'
export type * from './records/quality-store.ts'
export type { AdmittedPage, GroupCount, RecordCounts } from './schema/index.ts'
export type { Stores } from './stores.ts'
export type * from './sync/sync-port.ts'
export { neverSynced } from './sync/sync-states.ts'

/** What the sync engine reads and writes. */
export type SyncStore = ReturnType<typeof fullSyncStore> &
  ReturnType<typeof pageStore> &
  ReturnType<typeof tenantStore> &
  ReturnType<typeof holdStore>

/** What an evaluation reads and writes. */
export type FindingStore = Omit<Stores, keyof SyncStore> &
  Pick<SyncStore, 'firstRecords' | 'holds' | 'syncState' | 'tenant' | 'tenants'>

/** The local database copy of all tenants. Methods are complete operations, so other databases can implement it. */
export interface Mirror extends Stores, AsyncDisposable {
  /** @throws FatalError when the store is lost, replaced or damaged. */
  ping(): Promise<void>
  /** False until a store that was too large to verify at opening is verified. */
  isVerified(): boolean
  /** Takes about 10 ms per megabyte. @throws FatalError when it is damaged, the signal's reason when aborted. */
  verify(signal?: AbortSignal): Promise<void>
}

/** Methods by which outputs read a tenant; the history provides them as of a time. */
export type PostureStore = Pick<
  FindingStore,
  | 'checkStates'
  | 'events'
  | 'findings'
  | 'holds'
  | 'isLive'
  | 'latestTime'
  | 'personal'
  | 'quality'
  | 'tenant'
  | 'tenants'
  | 'unconfirmedTime'
>
