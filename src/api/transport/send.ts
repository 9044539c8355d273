import type { Clock } from '../../model/clock.ts'
import { parseIsoDate } from '../../model/dates.ts'
import { SyncError } from '../../model/errors.ts'
import type { Secret } from '../credentials/secret.ts'
import { abortedError, startDeadline, waitFor } from '../deadline.ts'
import type { Endpoint } from '../endpoints.ts'
import type { RateLimiter } from '../limits/rate-limiter.ts'
import { type StatedWait, statedWait, statesWait, waitUntil } from '../limits/retry-after.ts'
import type { TenantObserver } from '../reader.ts'
import type { Target } from './base-url.ts'
import { acceptedEncodings, firstOf, type Response, readBody } from './body.ts'
import type { Dispatchers } from './dispatchers.ts'
import { echoes } from './echo.ts'
import { readErrorFacts } from './envelope.ts'
import { type Answer, type Outcome, statusOf, transportFailure } from './outcome.ts'

export interface SendParts {
  readonly target: Target
  readonly header: string
  readonly scheme: string
  readonly maxBodyBytes: number
  readonly timeoutMs: number
  readonly userAgent: string
  readonly clock: Clock
  readonly dispatchers: Dispatchers
  readonly rateLimiter: RateLimiter
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

/** Sends once, without redirects. Failures are outcomes; errors of the rate limiter are thrown and not retried. */
export function createSend(parts: SendParts): Send {
  const { clock, dispatchers, observer, rateLimiter, timeoutMs } = parts
  return async (request) => {
    const template = 'endpoint' in request ? request.endpoint.template : null
    using _inFlight = await rateLimiter.pass(request.signal, template)
    const started = clock.monotonic()
    const { what, maxBytes, origin, secret, ...wire } = wireOf(request, parts)
    using deadline = startDeadline(timeoutMs, request.signal)
    let status: number | undefined
    /** End of a stated wait in server time, which the body may contain. */
    let undated: number | null = null
    let outcome: Outcome
    try {
      const dispatcher = await dispatchers.current()
      if (deadline.signal.aborted) throw abortedError()
      const asking = dispatcher.request({ origin, ...wire, signal: deadline.signal })
      // undici observes the signal only once a connection is established.
      const response = await waitFor(asking, deadline.signal)
      status = response.statusCode
      if (status === 429) rateLimiter.refused()
      const wait = waitIn(response)
      // In parallel with the body, which may never end.
      const storing = wait !== null && 'ms' in wait ? rateLimiter.blockFor(wait.ms, template) : undefined
      undated = wait !== null && 'until' in wait ? wait.until : null
      const [body] = await Promise.all([readBody(response, maxBytes, deadline.signal), storing])
      const retryAfterMs = wait !== null && 'ms' in wait ? wait.ms : await noteWait(parts, template, undated, body)
      const ageSeconds = ageOf(response.headers['age'])
      const date = dateOf(firstOf(response.headers['date']))
      const received = { receivedAt: clock.now(), receivedMonotonic: clock.monotonic() }
      outcome = { kind: 'answer', status, body, retryAfterMs, ageSeconds, date, ...received }
    } catch (thrown) {
      await noteWait(parts, template, undated, null)
      const callerAborted = request.signal?.aborted === true
      const { expired } = deadline
      const { proxied } = dispatchers
      outcome = transportFailure(thrown, { what, callerAborted, expired, timeoutMs, status, proxied })
    }
    if (template !== null) {
      observer?.request(template, statusOf(outcome), (clock.monotonic() - started) / 1000)
      if (outcome.kind === 'answer' && outcome.status < 400) rateLimiter.succeeded(template)
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
  return { kind: 'failure', error, retriable: false, untouched: false }
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

function waitIn({ statusCode, headers }: Response): StatedWait | null {
  const { 'retry-after': wait, date } = headers
  return statesWait(statusCode) ? statedWait(firstOf(wait), firstOf(date)) : null
}

/** Measures a date by the server time in the body, else by the local clock. */
async function noteWait(
  parts: SendParts,
  template: string | null,
  until: number | null,
  body: Answer['body'],
): Promise<number | null> {
  if (until === null) return null
  const stated = parseIsoDate(readErrorFacts(body).timestamp)?.ms
  const waitMs = waitUntil(until, stated ?? parts.clock.now())
  if (waitMs !== null) await parts.rateLimiter.blockFor(waitMs, template)
  return waitMs
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
