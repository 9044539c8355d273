import type { Clock } from '../../model/clock.ts'
import { parseIsoDate } from '../../model/dates.ts'
import type { RateLimiter } from '../limits/rate-limiter.ts'
import { type StatedWait, statedWait, statesWait, waitUntil } from '../limits/retry-after.ts'
import { abortedError, waitFor } from '../wait-for.ts'
import { acceptedEncodings, readBody } from './body.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import type { Dispatchers } from './dispatchers.ts'
import { readErrorFacts } from './error-facts.ts'
import type { Answer, Outcome } from './outcome.ts'
import { transportFailure } from './transport-failure.ts'

export interface ExchangeParts {
  readonly clock: Clock
  readonly dispatchers: Dispatchers
  readonly timeoutMs: number
  readonly userAgent: string
  /** Told of every stated wait; to be passed before an exchange. */
  readonly rateLimiter: RateLimiter
}

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST'
  readonly origin: string
  /** Path with query. */
  readonly path: string
  /** The request in words, for messages. */
  readonly what: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Cap on the decoded body of a 200 or 201, in bytes; 0 when only the status is wanted. */
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

const maxErrorBytes = 64 * 1024
const maxUnreadBytes = 128 * 1024

/** Sends one request, once, under a total deadline, and reads the whole answer; it never throws and never redirects. */
export async function exchange(parts: ExchangeParts, request: ExchangeRequest): Promise<Outcome> {
  using deadline = startDeadline(parts.timeoutMs, request.signal)
  let status: number | undefined
  /** The end of a stated wait that is a time of the server's clock, which the body may tell. */
  let undated: number | null = null
  try {
    const dispatcher = await parts.dispatchers.current()
    if (deadline.signal.aborted) throw abortedError()
    const asking = dispatcher.request({
      method: request.method,
      origin: request.origin,
      path: request.path,
      headers: {
        accept: 'application/json',
        'accept-encoding': acceptedEncodings,
        'cache-control': 'no-cache',
        'user-agent': parts.userAgent,
        ...request.headers,
      },
      body: request.body ?? null,
      signal: deadline.signal,
    })
    // undici itself hears the signal only once a connection stands.
    const response = await waitFor(asking, deadline.signal)
    status = response.statusCode
    const wait = waitIn(response)
    // Beside the body, which may never end.
    const storing = wait !== null && 'ms' in wait ? parts.rateLimiter.hold(wait.ms) : undefined
    undated = wait !== null && 'until' in wait ? wait.until : null
    const [body] = await Promise.all([bodyOf(response, request.maxBytes, deadline), storing])
    const waitMs = wait !== null && 'ms' in wait ? wait.ms : await holdUntil(parts, undated, body)
    return {
      kind: 'answer',
      status,
      body,
      retryAfterMs: waitMs,
      ageSeconds: ageOf(first(response.headers['age'])),
      receivedAt: parts.clock.now(),
      receivedMonotonic: parts.clock.monotonic(),
    }
  } catch (thrown) {
    await holdUntil(parts, undated, null)
    return transportFailure(thrown, {
      what: request.what,
      callerAborted: request.signal?.aborted === true,
      expired: deadline.expired,
      timeoutMs: parts.timeoutMs,
      status,
      proxied: parts.dispatchers.proxied,
    })
  }
}

type Response = Awaited<ReturnType<import('undici').Dispatcher['request']>>

function waitIn({ statusCode, headers }: Response): StatedWait | null {
  const { 'retry-after': wait, date } = headers
  return statesWait(statusCode) ? statedWait(first(wait), first(date)) : null
}

/** Keeps to a date by the time that the answer states in its body; where it states none, by the local clock. */
async function holdUntil(parts: ExchangeParts, until: number | null, body: Answer['body']): Promise<number | null> {
  if (until === null) return null
  const stated = parseIsoDate(readErrorFacts(body).timestamp)?.ms
  const waitMs = waitUntil(until, stated ?? parts.clock.now())
  if (waitMs !== null) await parts.rateLimiter.hold(waitMs)
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
