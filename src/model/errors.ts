import type { Reason } from './reasons.ts'

export interface SyncErrorDetails {
  /** What an operator can do about it, one sentence. */
  readonly hint?: string
  readonly cause?: unknown
  /** HTTP status of the answer that caused it, when there was one. */
  readonly status?: number
  /** `meta.requestId` of that answer, when it carried one. */
  readonly requestId?: string
  /** For `rate_limited`: wall time in milliseconds before which nothing may be sent. */
  readonly retryAt?: number
}

/** A run, or a request of it, cannot go on; `reason` says why in the closed vocabulary. */
export class SyncError extends Error {
  override readonly name = 'SyncError'
  readonly reason: Reason
  readonly hint: string | undefined
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly retryAt: number | undefined

  constructor(reason: Reason, message: string, details: SyncErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.reason = reason
    this.hint = details.hint
    this.status = details.status
    this.requestId = details.requestId
    this.retryAt = details.retryAt
  }
}

/** The reason of whatever was thrown: an unforeseen error is our own bug, `internal`. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof SyncError) return error.reason
  if (error instanceof Error && error.name === 'AbortError') return 'aborted'
  return 'internal'
}

/** The user asked for something that cannot be done as asked (exit code 2); the message is the whole output. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command could not do its work (exit code 3); the message is the whole output. */
export class FatalError extends Error {
  override readonly name = 'FatalError'
}
