import type { Reason } from './reasons.ts'
import type { ResourceName, SyncMode } from './resource-names.ts'

/** Numbers of records that a page or a run changed, or found unchanged. */
export const noCounts = { created: 0, updated: 0, unchanged: 0, removed: 0, quarantined: 0 }

export type CommitCounts = Readonly<typeof noCounts>

export interface EndedRun {
  readonly tenant: string
  readonly resource: ResourceName
  readonly mode: SyncMode
  /** `skipped`: nothing was requested, for the reason in `message`. */
  readonly outcome: 'success' | 'failure' | 'skipped'
  /** Of a failure; of a run that is skipped, that of the last run of its kind, if that failed. */
  readonly reason: Reason | null
  readonly message: string | null
  readonly hint: string | null
  readonly counts: CommitCounts
  readonly durationMs: number
}

/** The answer of a page that was written. Times are in milliseconds since the epoch. */
export interface WrittenAnswer {
  readonly serverTime: number | null
  /** The local time of its receipt. */
  readonly at: number
  /** The same by the monotonic clock. */
  readonly monotonic: number
}

export interface RunResult extends EndedRun {
  readonly pages: number
  /** The answer of the last page that was written. */
  readonly answered: WrittenAnswer | null
  readonly stored: boolean
  /** For `rate_limited`: when requests are allowed again, in milliseconds since the epoch. */
  readonly retryAt: number | null
  /** True if the token is refused for every permission, or there is no token. */
  readonly tokenRefused: boolean
}
