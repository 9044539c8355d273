import type { SyncError } from '../../model/errors.ts'

/** A complete answer, whatever its status. */
export interface Answer {
  readonly kind: 'answer'
  readonly status: number
  /** The body, in UTF-8; null when it was not wanted, or when it is an error body that cannot be read. */
  readonly body: Buffer | null
  /** What `Retry-After` asks for, in milliseconds; null also where the status gives it no such meaning. */
  readonly retryAfterMs: number | null
  /** The `Age` header in seconds: how long a cache has held the answer; absent or null when there is none. */
  readonly ageSeconds?: number | null
  /** Wall time at which the answer was complete, in milliseconds since the epoch. */
  readonly receivedAt: number
  /** The same moment on the monotonic clock. */
  readonly receivedMonotonic: number
}

/** No complete answer, or one that cannot be used. */
export interface Failure {
  readonly kind: 'failure'
  readonly error: SyncError
  readonly retriable: boolean
  /** The connection broke before any byte of the answer, as a kept-alive one does that the server had closed. */
  readonly untouched: boolean
}

export type Outcome = Answer | Failure
