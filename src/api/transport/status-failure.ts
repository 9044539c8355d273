import { SyncError, type SyncErrorDetails } from '../../model/errors.ts'
import type { Reason } from '../../model/reasons.ts'
import { longestPauseMs } from '../limits/rate-limiter.ts'
import { readErrorFacts } from './error-facts.ts'
import type { Answer, Failure } from './outcome.ts'

export interface StatusContext {
  readonly what: string
  readonly permission: string
  readonly badRequestHint?: string | undefined
  readonly notFoundHint?: string | undefined
}

const retriable: ReadonlySet<Reason> = new Set<Reason>(['rate_limited', 'server_error', 'timeout'])

/** A failure by status (docs/api.md#errors). A stated wait of over 30 s makes it `rate_limited` and ends retries. */
export function statusFailure(answer: Answer, context: StatusContext): Failure {
  const { status, retryAfterMs, receivedAt } = answer
  const { code, requestId } = readErrorFacts(answer.body)
  // A 404 that may mean an absent record, but does not come from the API.
  const stated = status === 404 && context.notFoundHint !== undefined ? 'protocol' : reasonOfStatus(status)
  const tooLong = retryAfterMs !== null && retryAfterMs > longestPauseMs
  const reason = tooLong ? 'rate_limited' : stated
  const hint = hintFor(status, context)
  const details: SyncErrorDetails = {
    status,
    ...(hint === undefined ? {} : { hint }),
    ...(requestId === null ? {} : { requestId }),
    ...(retryAfterMs !== null && reason === 'rate_limited' ? { retryAt: receivedAt + Math.ceil(retryAfterMs) } : {}),
  }
  const lacks = status === 403 ? `: the token lacks the permission ${context.permission}` : ''
  const message = `${context.what} answered ${status}${code === null ? '' : ` ${code}`}${lacks}`
  const error = new SyncError(reason, message, details)
  return { kind: 'failure', error, retriable: retriable.has(reason) && !tooLong, untouched: false }
}

function reasonOfStatus(status: number): Reason {
  if (status === 401) return 'unauthorized'
  if (status === 403) return 'missing_permission'
  if (status === 408) return 'timeout'
  if (status === 429) return 'rate_limited'
  if (status >= 500 && status < 600) return 'server_error'
  if (status >= 400 && status < 500) return 'client_error'
  return isRedirect(status) ? 'redirect' : 'protocol'
}

function hintFor(status: number, { permission, badRequestHint, notFoundHint }: StatusContext): string | undefined {
  if (status === 400) return badRequestHint
  if (status === 404 && notFoundHint !== undefined) return notFoundHint
  if (status === 403) return `Give the role of the API client the permission ${permission}`
  if (status === 404 || status === 405 || status === 410) return 'Check baseUrl: the API is not found below it'
  if (status === 407) return 'The proxy of api.proxy asks for credentials'
  if (status === 429) return 'Lower api.requestsPerSecond or run less often'
  if (isRedirect(status)) return 'Redirects are never followed: set baseUrl to the final address'
  return undefined
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304
}
