import type { Clock } from '../../model/clock.ts'
import { parseIsoDate } from '../../model/dates.ts'
import type { OwnSecrets } from '../credentials/own-secrets.ts'
import type { Secret } from '../credentials/secret.ts'
import type { Endpoint } from '../endpoints.ts'
import type { RateLimiter } from '../limits/rate-limiter.ts'
import { type StatedWait, statedWait, statesWait, waitUntil } from '../limits/retry-after.ts'
import type { TenantObserver } from '../reader.ts'
import { abortedError, waitFor } from '../wait-for.ts'
import type { Target } from './base-url.ts'
import { acceptedEncodings, readBody } from './body.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import type { Dispatchers } from './dispatchers.ts'
import { readErrorFacts } from './error-facts.ts'
import type { Answer, Outcome } from './outcome.ts'
import { transportFailure } from './transport-failure.ts'

export interface SendParts {
  readonly target: Target
  /** The header that carries the token, and the word before it. */
  readonly header: string
  readonly scheme: string
  readonly maxBodyBytes: number
  readonly timeoutMs: number
  readonly userAgent: string
  readonly clock: Clock
  readonly dispatchers: Dispatchers
  readonly rateLimiter: RateLimiter
  readonly ownSecrets: OwnSecrets
  readonly observer: TenantObserver | undefined
}

/** A request to the tenant's API. */
export interface TenantRequest {
  readonly endpoint: Endpoint
  readonly method: 'GET' | 'POST'
  /** The path with its id filled in, and the query. */
  readonly path: string
  readonly secret: Secret
  readonly body?: string
  readonly statusOnly?: boolean
  readonly signal?: AbortSignal | undefined
}

/** A form for the server that gives out tokens. */
export interface TokenRequest {
  readonly tokenUrl: { readonly origin: string; readonly path: string }
  readonly form: URLSearchParams
  readonly signal: AbortSignal
}

export type Send<Request = TenantRequest | TokenRequest> = (request: Request) => Promise<Outcome>

const maxErrorBytes = 64 * 1024
const maxTokenAnswerBytes = 64 * 1024
const maxUnreadBytes = 128 * 1024
const maxWholeBytes = 32 * 2 ** 20

/**
 * Makes the one function by which the client of a tenant sends: a request, once, when the rate limiter lets it, under a
 * total deadline. It reads the whole answer, never redirects, and turns every failure into an outcome.
 *
 * @throws SyncError what the rate limiter throws, from the function: a refusal keeps its `retryAt` and is not retried.
 */
export function createSend(parts: SendParts): Send {
  const { clock, dispatchers, observer, ownSecrets, rateLimiter, timeoutMs } = parts
  return async (request) => {
    await rateLimiter.pass(request.signal)
    const started = clock.monotonic()
    const { what, maxBytes, origin, secret, ...wire } = wireOf(request, parts)
    ownSecrets.note(secret)
    using deadline = startDeadline(timeoutMs, request.signal)
    let status: number | undefined
    /** The end of a stated wait that is a time of the server's clock, which the body may tell. */
    let undated: number | null = null
    let outcome: Outcome
    try {
      const dispatcher = await dispatchers.current()
      if (deadline.signal.aborted) throw abortedError()
      const asking = dispatcher.request({ origin, ...wire, signal: deadline.signal })
      // undici itself hears the signal only once a connection stands.
      const response = await waitFor(asking, deadline.signal)
      status = response.statusCode
      const wait = waitIn(response)
      // Beside the body, which may never end.
      const storing = wait !== null && 'ms' in wait ? rateLimiter.blockFor(wait.ms) : undefined
      undated = wait !== null && 'until' in wait ? wait.until : null
      const [body] = await Promise.all([bodyOf(response, maxBytes, deadline), storing])
      const retryAfterMs = wait !== null && 'ms' in wait ? wait.ms : await noteWait(parts, undated, body)
      const ageSeconds = ageOf(first(response.headers['age']))
      const received = { receivedAt: clock.now(), receivedMonotonic: clock.monotonic() }
      outcome = { kind: 'answer', status, body, retryAfterMs, ageSeconds, ...received }
    } catch (thrown) {
      await noteWait(parts, undated, null)
      const callerAborted = request.signal?.aborted === true
      const { expired } = deadline
      const { proxied } = dispatchers
      outcome = transportFailure(thrown, { what, callerAborted, expired, timeoutMs, status, proxied })
    }
    if ('endpoint' in request) {
      const label = outcome.kind === 'answer' ? String(outcome.status) : outcome.error.reason
      observer?.request(request.endpoint.template, label, (clock.monotonic() - started) / 1000)
    } else if (outcome.kind === 'answer' && outcome.status === 200) {
      // What it gives is a secret by design, and may be the one that was used before.
      return outcome
    }
    return ownSecrets.maskIn(outcome)
  }
}

/** The request in words, for messages. */
export function inWords(method: string, { template }: Endpoint): string {
  return `${method} ${template}`
}

/** A request as it is put on the wire; `maxBytes` caps the decoded body of a 200 or 201, 0 when only the status is wanted. */
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

type Response = Awaited<ReturnType<import('undici').Dispatcher['request']>>

function waitIn({ statusCode, headers }: Response): StatedWait | null {
  const { 'retry-after': wait, date } = headers
  return statesWait(statusCode) ? statedWait(first(wait), first(date)) : null
}

/** Keeps to a date by the time that the answer states in its body; where it states none, by the local clock. */
async function noteWait(parts: SendParts, until: number | null, body: Answer['body']): Promise<number | null> {
  if (until === null) return null
  const stated = parseIsoDate(readErrorFacts(body).timestamp)?.ms
  const waitMs = waitUntil(until, stated ?? parts.clock.now())
  if (waitMs !== null) await parts.rateLimiter.blockFor(waitMs)
  return waitMs
}

/** Digits alone; anything else gives no age (RFC 9111, section 5.1). */
function ageOf(header: string | undefined): number | null {
  const text = header?.trim() ?? ''
  return /^\d+$/.test(text) ? Number(text) : null
}

/** The body of a success must be whole; that of an error is read as far as it is small, and else left. */
async function bodyOf(response: Response, maxBytes: number, deadline: Deadline): Promise<Answer['body']> {
  const { body, headers, statusCode } = response
  const encoding = first(headers['content-encoding'])
  if (maxBytes === 0) {
    await body.dump({ limit: maxUnreadBytes, signal: deadline.signal })
    return null
  }
  if (statusCode === 200 || statusCode === 201) return readBody(body, encoding, maxBytes)
  try {
    return await readBody(body, encoding, maxErrorBytes)
  } catch (thrown) {
    if (deadline.signal.aborted) throw thrown
    return null
  }
}

function first(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0]
}
