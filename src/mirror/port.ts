import type { EvidenceStore } from './findings/evidence-port.ts'
import type { FindingStore, OpenFindingStore } from './findings/finding-port.ts'
import type { Erasure } from './records/record-retention.ts'
import type { SyncStore } from './sync/sync-port.ts'

export type * from './findings/evidence-port.ts'
export type * from './findings/finding-port.ts'
export type { NoAnswer, OwnAnswer, OwnQuery, Said } from './own-checks/question.ts'
export type * from './sync/page-rows.ts'
export type * from './sync/sync-port.ts'

/** The local database copy of every tenant: whole operations only, so that its body can be another database. */
export interface Mirror extends SyncStore, FindingStore, OpenFindingStore, EvidenceStore, AdminStore, AsyncDisposable {}

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
