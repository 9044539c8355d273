import type { Clock } from '../../model/clock.ts'
import { retryAfterMs } from '../pace/retry-after.ts'
import { abortedError, waitFor } from '../wait-for.ts'
import { acceptedEncodings, readBody } from './body.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import type { Dispatchers } from './dispatchers.ts'
import type { Answer, Outcome } from './outcome.ts'
import { transportFailure } from './transport-failure.ts'

export interface ExchangeParts {
  readonly clock: Clock
  readonly dispatchers: Dispatchers
  readonly timeoutMs: number
  readonly userAgent: string
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
    const text = await readText(response, request.maxBytes, deadline)
    const receivedAt = parts.clock.now()
    const { 'retry-after': wait, date } = response.headers
    return {
      kind: 'answer',
      status,
      text,
      retryAfterMs: retryAfterMs(first(wait), first(date), receivedAt),
      receivedAt,
    }
  } catch (thrown) {
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

/** The body of a success must be whole; that of an error is read as far as it is small, and else left. */
async function readText(response: Response, maxBytes: number, deadline: Deadline): Promise<Answer['text']> {
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
