import type { Reason } from './reasons.ts'

export interface SyncErrorDetails {
  /** Advice for an operator, one sentence. */
  readonly hint?: string
  readonly cause?: unknown
  /** HTTP status of the response that caused it. */
  readonly status?: number
  /** `meta.requestId` of that response. */
  readonly requestId?: string
  /** For `rate_limited`: earliest time of the next request, milliseconds since the epoch. */
  readonly retryAt?: number
}

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

/** The reason of a thrown value; unexpected errors are `internal`. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof SyncError) return error.reason
  if (error instanceof Error && error.name === 'AbortError') return 'aborted'
  return 'internal'
}

/** The command line or configuration is wrong (exit code 2); the message is the whole output. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command failed (exit code 3); the message is the whole output. */
export class FatalError extends Error {
  override readonly name = 'FatalError'
}
