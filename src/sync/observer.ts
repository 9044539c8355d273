import type { ContractEventKind } from '../model/contract-events.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { RunResult } from '../model/run-result.ts'

/** Progress of a running sync. */
export interface SyncProgress {
  page(tenant: string, resource: ResourceName, pages: number, records: number): void
  /** Called after each look-up by id, with the number of those done in the run, failed ones included. */
  lookedUp(tenant: string, resource: ResourceName, done: number, wanted: number): void
  runEnded(result: RunResult): void
}

export interface SyncObserver extends SyncProgress {
  cursorReset(tenant: string, resource: ResourceName): void
  contractEvent(tenant: string, resource: ResourceName, kind: ContractEventKind): void
  /** Number of a page's records, by date field, whose date moved to a later instant. */
  datesMovedLater(tenant: string, resource: ResourceName, laterDates: Readonly<Record<string, number>>): void
}
