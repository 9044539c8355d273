import type { SyncError } from '../../model/errors.ts'

export interface Answer {
  readonly kind: 'answer'
  readonly status: number
  /** In UTF-8; null when not requested, or an unreadable error body. */
  readonly body: Buffer | null
  /** `Retry-After` in milliseconds; null also for a status without such a meaning. */
  readonly retryAfterMs: number | null
  readonly ageSeconds?: number | null
  readonly receivedAt: number
  readonly receivedMonotonic: number
}

export interface Failure {
  readonly kind: 'failure'
  readonly error: SyncError
  readonly retriable: boolean
  /** The connection broke before any byte of the answer, as a kept-alive one closed by the server does. */
  readonly untouched: boolean
}

export type Outcome = Answer | Failure
