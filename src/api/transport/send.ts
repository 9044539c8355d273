import type { Clock } from '../../model/clock.ts'
import { secondMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import type { Secret } from '../credentials/secret.ts'
import { abortedError, startDeadline, waitFor } from '../deadline.ts'
import type { Endpoint } from '../endpoints.ts'
import { type Gate, maxRetryAfterMs } from '../gate.ts'
import type { TenantObserver } from '../reader.ts'
import type { Target } from './base-url.ts'
import { acceptedEncodings, echoes, firstOf, readBody } from './body.ts'
import type { Dispatchers } from './dispatchers.ts'
import { type Outcome, statusOf, transportFailure } from './outcome.ts'

export interface SendParts {
  readonly target: Target
  readonly header: string
  readonly scheme: string
  readonly maxBodyBytes: number
  readonly timeoutMs: number
  readonly userAgent: string
  readonly clock: Clock
  readonly dispatchers: Dispatchers
  readonly gate: Gate
  readonly observer: TenantObserver | undefined
}

export interface TenantRequest {
  readonly endpoint: Endpoint
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly secret: Secret
  readonly body?: string
  readonly statusOnly?: boolean
  readonly signal?: AbortSignal | undefined
}

export interface TokenRequest {
  readonly tokenUrl: { readonly origin: string; readonly path: string }
  readonly form: URLSearchParams
  readonly signal: AbortSignal
}

export type Send<Request = TenantRequest | TokenRequest> = (request: Request) => Promise<Outcome>

const maxTokenAnswerBytes = 64 * 1024
const maxWholeBytes = 32 * 2 ** 20

/** Sends once, without redirects. Failures are outcomes; errors of the gate are thrown and not retried. */
export function createSend(parts: SendParts): Send {
  const { clock, dispatchers, observer, gate, timeoutMs } = parts
  return async (request) => {
    const template = 'endpoint' in request ? request.endpoint.template : null
    using _inFlight = await gate.pass(request.signal)
    const started = clock.monotonic()
    const { what, maxBytes, origin, secret, ...wire } = wireOf(request, parts)
    using deadline = startDeadline(timeoutMs, request.signal)
    let status: number | undefined
    let outcome: Outcome
    try {
      const dispatcher = await dispatchers.current()
      if (deadline.signal.aborted) throw abortedError()
      const asking = dispatcher.request({ origin, ...wire, signal: deadline.signal })
      // undici observes the signal only once a connection is established.
      const response = await waitFor(asking, deadline.signal)
      status = response.statusCode
      const { 'retry-after': wait, date, age } = response.headers
      if (status === 429) gate.refused()
      const retryAfterMs = statedWait(status, firstOf(wait), firstOf(date), clock.now())
      // In parallel with the body, which may never end.
      const storing = retryAfterMs === null ? undefined : gate.blockFor(retryAfterMs)
      const [body] = await Promise.all([readBody(response, maxBytes, deadline.signal), storing])
      const received = { receivedAt: clock.now(), receivedMonotonic: clock.monotonic() }
      outcome = {
        kind: 'answer',
        status,
        body,
        retryAfterMs,
        ageSeconds: ageOf(age),
        date: dateOf(firstOf(date)),
        ...received,
      }
    } catch (thrown) {
      const callerAborted = request.signal?.aborted === true
      const { expired } = deadline
      const { proxied } = dispatchers
      outcome = transportFailure(thrown, { what, callerAborted, expired, timeoutMs, status, proxied })
    }
    if (template !== null) {
      observer?.request(template, statusOf(outcome), (clock.monotonic() - started) / 1000)
      if (outcome.kind === 'answer' && outcome.status < 400) gate.succeeded()
    } else if (outcome.kind === 'answer' && outcome.status === 200) {
      // The answer contains a secret by design.
      return outcome
    }
    return refuseEcho(outcome, secret, what)
  }
}

/** An answer that contains the token is not used: neither its records nor the text of its error. */
function refuseEcho(outcome: Outcome, secret: string, what: string): Outcome {
  if (outcome.kind === 'failure' || outcome.body === null || !echoes(outcome.body, secret)) return outcome
  if (outcome.status >= 400) return { ...outcome, body: null }
  const { status } = outcome
  const error = new SyncError('protocol', `${what} answered ${status} with the token in the body`, { status })
  return { kind: 'failure', error, retriable: false }
}

export function inWords(method: string, { template }: Endpoint): string {
  return `${method} ${template}`
}

/** `maxBytes` caps the decoded body of a 200 or 201; 0 when only the status is needed. */
function wireOf(request: TenantRequest | TokenRequest, parts: SendParts) {
  const headers = {
    accept: 'application/json',
    'accept-encoding': acceptedEncodings,
    'cache-control': 'no-cache',
    'user-agent': parts.userAgent,
  }
  if ('form' in request) {
    const { tokenUrl, form } = request
    return {
      ...tokenUrl,
      method: 'POST' as const,
      what: 'POST to the token URL',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      maxBytes: maxTokenAnswerBytes,
      secret: form.get('client_secret') ?? '',
    }
  }
  const { endpoint, method, body = null, statusOnly = false } = request
  const secret = request.secret.expose()
  const limit = endpoint.whole ? Math.max(parts.maxBodyBytes, maxWholeBytes) : parts.maxBodyBytes
  return {
    origin: parts.target.origin,
    path: `${parts.target.prefix}${request.path}`,
    method,
    what: inWords(method, endpoint),
    headers: {
      ...headers,
      [parts.header]: parts.scheme === '' ? secret : `${parts.scheme} ${secret}`,
      ...(body !== null && { 'content-type': 'application/json' }),
    },
    body,
    maxBytes: statusOnly ? 0 : limit,
    secret,
  }
}

function dateOf(header: string | undefined): number | null {
  const ms = header === undefined ? Number.NaN : Date.parse(header)
  return Number.isNaN(ms) ? null : ms
}

/** In seconds; the greatest of several: by RFC 9111 (5.1) the first one counts, but caches may append theirs. */
function ageOf(header: string | string[] | undefined): number | null {
  const ages = [header ?? []].flat().flatMap((line) => line.split(','))
  const known = ages.filter((age) => /^\s*\d+\s*$/.test(age)).map(Number)
  return known.length === 0 ? null : Math.max(...known)
}

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .{10,40}$/

/**
 * The wait of `Retry-After` (RFC 9110, section 10.2.3) in milliseconds, at most 24 hours; null when it states none or the
 * status gives it no meaning. A date counts from the answer's `Date` header, so that a wrong local clock has no effect.
 */
function statedWait(status: number, header: string | undefined, date: string | undefined, now: number) {
  if (status !== 429 && (status < 500 || status > 599)) return null
  const text = header?.trim() ?? ''
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : null
  const ms = seconds === null ? dateMs(text) - (dateMs(date?.trim() ?? '') || now) : seconds * secondMs
  return ms > 0 ? Math.min(ms, maxRetryAfterMs) : null
}

/** NaN for other texts. */
function dateMs(text: string): number {
  return httpDate.test(text) ? Date.parse(text) : Number.NaN
}
