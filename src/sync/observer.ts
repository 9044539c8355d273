import type { ContractEventKind } from '../model/contract-events.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { RunResult } from './run-result.ts'

export interface SyncObserver {
  runEnded(result: RunResult): void
  cursorReset(tenant: string, resource: ResourceName): void
  contractEvent(tenant: string, resource: ResourceName, kind: ContractEventKind): void
  /** How many records of a page had each date moved to a later instant. */
  datesMovedLater(tenant: string, resource: ResourceName, laterDates: Readonly<Record<string, number>>): void
  page(tenant: string, resource: ResourceName, pages: number, records: number): void
}
