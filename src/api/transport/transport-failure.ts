import { SyncError, type SyncErrorDetails } from '../../model/errors.ts'
import type { Reason } from '../../model/reasons.ts'
import { codeOf } from '../code-of.ts'
import { abortedError } from '../wait-for.ts'
import type { Failure } from './outcome.ts'

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

const breaks = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

const retriable: ReadonlySet<Reason> = new Set<Reason>(['network', 'timeout'])

export function transportFailure(thrown: unknown, state: ExchangeState): Failure {
  const error = toSyncError(thrown, state)
  const untouched = state.status === undefined && error.reason === 'network' && breaks.has(codeOf(thrown))
  return { kind: 'failure', error, retriable: retriable.has(error.reason), untouched }
}

function toSyncError(thrown: unknown, state: ExchangeState): SyncError {
  const { what, status } = state
  const details: SyncErrorDetails = status === undefined ? {} : { status }
  if (state.callerAborted) return abortedError()
  if (state.expired) {
    return new SyncError('timeout', `${what} did not complete within ${state.timeoutMs / 1000} s`, details)
  }
  if (thrown instanceof SyncError) {
    return new SyncError(thrown.reason, `${what}: ${thrown.message}`, { ...details, ...hintOf(thrown) })
  }
  const code = codeOf(thrown)
  const reason = reasonOfCode(code, state.proxied)
  return new SyncError(reason, `${what} failed: ${code}`, { ...details, ...hintFor(reason, code, state.proxied) })
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

function hintOf(error: SyncError): SyncErrorDetails {
  return error.hint === undefined ? {} : { hint: error.hint }
}

const noTls = 'What answers there does not speak TLS: check scheme and port of baseUrl'

const hintsByCode: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'Nothing listens there: check host and port of baseUrl, and whether the server runs'],
  ['EHOSTUNREACH', 'No way leads to the host: check baseUrl and the network'],
  ['ENETUNREACH', 'No way leads to the host: check baseUrl and the network'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', noTls],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', noTls],
])

function hintFor(reason: Reason, code: string, proxied: boolean): SyncErrorDetails {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { hint: 'The name of the host could not be resolved' }
  const hint = proxied ? undefined : hintsByCode.get(code)
  if (hint !== undefined) return { hint }
  if (reason === 'tls') return { hint: 'Check the certificate of the server; a private authority goes into api.caFile' }
  return proxied && reason !== 'aborted' ? { hint: 'Requests go through api.proxy: check that it lets them pass' } : {}
}
