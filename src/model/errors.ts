import type { Reason } from './reasons.ts'

export interface SyncErrorDetails {
  readonly hint?: string | undefined
  readonly cause?: unknown
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  /** For `rate_limited`: earliest time of the next request, milliseconds since the epoch. */
  readonly retryAt?: number | undefined
  /** For `unauthorized`: the token may lack only the permission of this request. */
  readonly undecided?: true
}

export class SyncError extends Error {
  override readonly name = 'SyncError'
  readonly reason: Reason
  readonly hint: string | undefined
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly retryAt: number | undefined
  readonly undecided: boolean

  constructor(reason: Reason, message: string, details: SyncErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.reason = reason
    this.hint = details.hint
    this.status = details.status
    this.requestId = details.requestId
    this.retryAt = details.retryAt
    this.undecided = details.undecided === true
  }
}

/** Statuses with which a tenant or proxy refuses a request because of its content, such as its cursor. */
const refusals: ReadonlySet<number> = new Set([400, 404, 410, 413, 414, 422, 431])

export function isRefusedRequest(error: unknown): error is SyncError & { readonly status: number } {
  return error instanceof SyncError && error.reason === 'client_error' && refusals.has(error.status ?? 0)
}

/** What failed, and what to do. */
export function withHint({ message, hint }: SyncError): string {
  return hint === undefined ? message : `${message}. ${hint}`
}

export function reasonOf(error: unknown): Reason {
  if (error instanceof SyncError) return error.reason
  if (error instanceof Error && error.name === 'AbortError') return 'aborted'
  return 'internal'
}

/** Parses text from the mirror. @throws SyncError `store` if it is invalid, because another program changed it. */
export function readStored<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const hint = '`tenantwatch verify` names rows that were changed; restore the database from a backup'
    throw new SyncError('store', `The ${what} in the mirror cannot be read`, { cause: error, hint })
  }
}

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export class FatalError extends Error {
  override readonly name = 'FatalError'
}

/** Another engine works on the same database. */
export class EngineRunning extends FatalError {
  withAdvice(advice: string): EngineRunning {
    return new EngineRunning(`${this.message}, ${advice}`, { cause: this.cause })
  }
}

/** For `catch`, where any other failure counts as no answer. */
export function throwIfAborted(error: unknown): null {
  if (reasonOf(error) === 'aborted') throw error
  return null
}
