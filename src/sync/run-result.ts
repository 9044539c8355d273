import type { CommitCounts } from '../mirror/port.ts'
import type { Reason } from '../model/reasons.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'

export interface RunResult {
  readonly tenant: string
  readonly resource: ResourceName
  /** What the run came to be: an incremental sync without a cursor to start from is a full sync. */
  readonly mode: SyncMode
  /** `skipped`: nothing was asked of the tenant, by design (incremental syncs rest until the next full sync). */
  readonly outcome: 'success' | 'failure' | 'skipped'
  readonly reason: Reason | null
  readonly message: string | null
  readonly hint: string | null
  readonly counts: CommitCounts
  readonly pages: number
  readonly durationMs: number
  /** False when the mirror does not tell of it, because its end could not be stored. */
  readonly stored: boolean
  /** For `rate_limited`: when the run may go on, in milliseconds since the epoch. */
  readonly retryAt: number | null
}
