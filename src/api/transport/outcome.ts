import { SyncError } from '../../model/errors.ts'
import { UnfitFile } from '../../model/process/files.ts'
import type { Reason } from '../../model/reasons.ts'
import { abortedError } from '../deadline.ts'
import { longestPauseMs, rateAdvice } from '../gate.ts'
import { readErrorFacts } from './envelope.ts'
import { proxyCredentialsHint, tunnelRefusal } from './proxy.ts'

export interface Answer {
  readonly kind: 'answer'
  readonly status: number
  /** In UTF-8; null for an unreadable error. */
  readonly body: Buffer | null
  /** `Retry-After` in milliseconds; null if absent or without meaning for the status. */
  readonly retryAfterMs: number | null
  readonly ageSeconds: number | null
  /** The `Date` header in milliseconds since the epoch. */
  readonly date: number | null
  readonly receivedAt: number
  readonly receivedMonotonic: number
}

export interface Failure {
  readonly kind: 'failure'
  readonly error: SyncError
  readonly retriable: boolean
}

export type Outcome = Answer | Failure

/** The HTTP status, or the reason without an answer. */
export function statusOf(outcome: Outcome): string {
  return outcome.kind === 'answer' ? String(outcome.status) : outcome.error.reason
}

export interface ExchangeState {
  readonly what: string
  readonly callerAborted: boolean
  readonly expired: boolean
  readonly timeoutMs: number
  readonly status: number | undefined
  readonly proxied: boolean
}

const timeouts = new Set(['ETIMEDOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'])

const tls =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|EPROTO$|UND_ERR_PRX_TLS)/

export function transportFailure(thrown: unknown, state: ExchangeState): Failure {
  const error = toSyncError(thrown, state)
  return { kind: 'failure', error, retriable: error.reason === 'network' || error.reason === 'timeout' }
}

function toSyncError(thrown: unknown, { what, status, proxied, ...state }: ExchangeState): SyncError {
  if (state.callerAborted) return abortedError()
  if (state.expired) {
    return new SyncError('timeout', `${what} did not complete within ${state.timeoutMs / 1000} s`, { status })
  }
  if (thrown instanceof SyncError) {
    return new SyncError(thrown.reason, `${what}: ${thrown.message}`, { status, hint: thrown.hint })
  }
  const refusal = proxied ? tunnelRefusal(thrown, what) : null
  if (refusal !== null) return refusal
  const code = codeOrNameOf(thrown)
  const reason = reasonOfCode(code, proxied)
  return new SyncError(reason, `${what} failed: ${code}`, { status, hint: hintOfCode(reason, code, proxied) })
}

function reasonOfCode(code: string, proxied: boolean): Reason {
  if (timeouts.has(code)) return 'timeout'
  if (tls.test(code)) return 'tls'
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') return 'too_large'
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return 'aborted'
  // undici's only sign that a proxy requires credentials.
  if (code === 'UND_ERR_INVALID_ARG' && proxied) return 'client_error'
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return 'internal'
  // A truncated stream is a broken connection; other decoder errors are the sender's.
  if (code === 'Z_BUF_ERROR') return 'network'
  return /^(Z_|ERR__ERROR|ERR_BROTLI)/.test(code) ? 'protocol' : 'network'
}

const noTls = 'The server there does not speak TLS: check scheme and port of baseUrl'
const noRoute = 'There is no route to the host: check baseUrl and the network'

const hintsByCode: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'Nothing listens there: check host and port of baseUrl, and whether the server runs'],
  ['EHOSTUNREACH', noRoute],
  ['ENETUNREACH', noRoute],
  ['ERR_SSL_WRONG_VERSION_NUMBER', noTls],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', noTls],
])

function hintOfCode(reason: Reason, code: string, proxied: boolean): string | undefined {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The name of the host could not be resolved'
  const hint = proxied ? undefined : hintsByCode.get(code)
  if (hint !== undefined) return hint
  if (reason === 'tls') return 'Check the certificate of the server; a private authority goes into api.caFile'
  return proxied && reason !== 'aborted'
    ? 'Requests go through a proxy (api.proxy, else HTTPS_PROXY): check that it lets them pass'
    : undefined
}

export interface StatusContext {
  readonly what: string
  readonly permission: string
  readonly badRequestHint?: string | undefined
  readonly notFoundHint?: string | undefined
}

const retriableAnswers: ReadonlySet<Reason> = new Set<Reason>(['rate_limited', 'server_error', 'timeout'])

/**
 * A failure by status (docs/internals/api.md#errors). A stated wait makes a refusal `rate_limited`, and one of over 30 s
 * every failure, whose retries it ends.
 */
export function statusFailure(answer: Answer, context: StatusContext): Failure {
  const { status, retryAfterMs } = answer
  const { code, requestId } = readErrorFacts(answer.body)
  const refusal = refusalOf(answer)
  const { retryAt } = refusal
  // A 404 may mean an absent record, but does not come from the API.
  const isForeign = isAbsence(status) && context.notFoundHint !== undefined && refusal.reason === 'client_error'
  const reason = isForeign ? 'protocol' : refusal.reason
  const hint = reason === 'rate_limited' ? rateAdvice : hintOfStatus(status, context)
  const details = { status, hint, requestId: requestId ?? undefined, retryAt }
  const lacks = reason === 'missing_permission' ? `: the token lacks the permission ${context.permission}` : ''
  const message = `${context.what} answered ${status}${code === null ? '' : ` ${code}`}${lacks}`
  const error = new SyncError(reason, message, details)
  return { kind: 'failure', error, retriable: retriableAnswers.has(reason) && (retryAfterMs ?? 0) <= longestPauseMs }
}

/** The reason of a refusal, and when a stated wait is over. */
export function refusalOf({ status, retryAfterMs, receivedAt }: Answer): { reason: Reason; retryAt?: number } {
  const isWait = retryAfterMs !== null && (retryAfterMs > longestPauseMs || status < 500)
  const reason = isWait ? 'rate_limited' : reasonOfStatus(status)
  if (reason !== 'rate_limited' || retryAfterMs === null) return { reason }
  return { reason, retryAt: receivedAt + Math.ceil(retryAfterMs) }
}

/** What a status means that is no answer. */
export function reasonOfStatus(status: number): Reason {
  if (status === 401) return 'unauthorized'
  if (status === 403) return 'missing_permission'
  if (status === 408) return 'timeout'
  if (status === 429) return 'rate_limited'
  if (status >= 500 && status < 600) return 'server_error'
  if (status >= 400 && status < 500) return 'client_error'
  return isRedirect(status) ? 'redirect' : 'protocol'
}

function hintOfStatus(status: number, { permission, badRequestHint, notFoundHint }: StatusContext): string | undefined {
  if (status === 400) return badRequestHint
  if (isAbsence(status) && notFoundHint !== undefined) return notFoundHint
  if (status === 403) return `Give the role of the API client the permission ${permission}`
  if (status === 404 || status === 405 || status === 410) return 'Check baseUrl: the API is not found below it'
  if (status === 407) return proxyCredentialsHint
  if (isRedirect(status)) return 'Redirects are never followed: set baseUrl to the final address'
  return undefined
}

const isAbsence = (status: number) => status === 404 || status === 410

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304
}

/** The code of an error, else its name. Messages contain nothing more, because its text may carry header values. */
export function codeOrNameOf(thrown: unknown): string {
  if (thrown instanceof UnfitFile) return thrown.message
  if (typeof thrown !== 'object' || thrown === null) return 'unknown error'
  if ('code' in thrown && typeof thrown.code === 'string' && /^[\w-]{1,64}$/.test(thrown.code)) return thrown.code
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return codeOrNameOf(thrown.errors[0])
  return thrown instanceof Error && /^\w{1,64}$/.test(thrown.name) ? thrown.name : 'unknown error'
}
