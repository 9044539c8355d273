import type { ContractEventKind } from '../model/contract-events.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'
import type { AnsweredAt, CommitCounts } from '../store/port.ts'

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

export interface WrittenAnswer extends AnsweredAt {
  /** The time of its receipt by the monotonic clock. */
  readonly monotonic: number
}

export interface RunResult {
  readonly tenant: string
  readonly resource: ResourceName
  readonly mode: SyncMode
  /** `skipped`: nothing was requested, because incremental syncs are paused until the next full sync. */
  readonly outcome: 'success' | 'failure' | 'skipped'
  readonly reason: Reason | null
  readonly message: string | null
  readonly hint: string | null
  readonly counts: CommitCounts
  readonly pages: number
  /** The answer of the last page that was written. */
  readonly answered: WrittenAnswer | null
  readonly durationMs: number
  readonly stored: boolean
  /** For `rate_limited`: when requests are allowed again, in milliseconds since the epoch. */
  readonly retryAt: number | null
  /** True if the token is refused for every permission, or there is no token. */
  readonly tokenRefused: boolean
}
