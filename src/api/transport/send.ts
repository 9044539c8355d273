import { SyncError } from '../../model/errors.ts'
import { version } from '../../model/process/version.ts'
import { secondMs } from '../../model/time.ts'
import type { Secret } from '../credentials/secret.ts'
import { abortedError, startDeadline, waitFor } from '../deadline.ts'
import type { Endpoint } from '../endpoints.ts'
import { type Gate, maxRetryAfterMs } from '../gate.ts'
import type { TenantClientOptions } from '../options.ts'
import { acceptedEncodings, echoes, firstOf, readBody } from './body.ts'
import type { Dispatchers } from './dispatchers.ts'
import { type Outcome, statusOf, transportFailure } from './outcome.ts'

type SendOptions = Pick<TenantClientOptions, 'api' | 'auth' | 'baseUrl' | 'clock' | 'observer'>

export interface TenantRequest {
  readonly endpoint: Endpoint
  readonly path: string
  readonly secret: Secret
  readonly signal?: AbortSignal | undefined
}

export interface TokenRequest {
  readonly tokenUrl: string
  readonly form: URLSearchParams
  readonly secret: string
  /** Sent with the secret in a Basic header; absent = both are in the form. */
  readonly clientId?: string
  readonly signal: AbortSignal
}

export type Send<Request = TenantRequest | TokenRequest> = (request: Request) => Promise<Outcome>

const maxTokenAnswerBytes = 64 * 1024
const maxWholeBytes = 32 * 2 ** 20

/** Sends once, without redirects. Failures are outcomes; errors of the gate are thrown and not retried. */
export function createSend(options: SendOptions, dispatchers: Dispatchers, gate: Gate): Send {
  const { clock, observer } = options
  const { timeoutMs } = options.api
  return async (request) => {
    const template = 'endpoint' in request ? request.endpoint.template : null
    using _inFlight = await gate.pass(request.signal)
    const started = clock.monotonic()
    const { what, maxBytes, origin, secret, ...wire } = wireOf(request, options)
    using deadline = startDeadline(timeoutMs, request.signal)
    let status: number | undefined
    let proxied = false
    let outcome: Outcome
    try {
      const route = await dispatchers.current(origin)
      proxied = route.proxied
      if (deadline.signal.aborted) throw abortedError()
      const asking = route.dispatcher.request({ origin, ...wire, signal: deadline.signal })
      // undici observes the signal only once a connection is established.
      const response = await waitFor(asking, deadline.signal)
      status = response.statusCode
      const { 'retry-after': wait, age } = response.headers
      const date = dateOf(firstOf(response.headers.date))
      if (status === 429) gate.refused()
      const retryAfterMs = statedWait(status, firstOf(wait), date, clock.now())
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
        date,
        ...received,
      }
    } catch (thrown) {
      const callerAborted = request.signal?.aborted === true
      const { expired } = deadline
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

export function inWords({ template }: Endpoint): string {
  return `GET ${template}`
}

/** `maxBytes` caps the decoded body of a 200. */
function wireOf(request: TenantRequest | TokenRequest, { api, auth, baseUrl }: SendOptions) {
  const headers = {
    accept: 'application/json',
    'accept-encoding': acceptedEncodings,
    'cache-control': 'no-cache',
    'user-agent': `tenantwatch/${version}`,
  }
  if ('form' in request) {
    const { form, secret, clientId } = request
    const { origin, pathname, search } = new URL(request.tokenUrl)
    // RFC 6749, section 2.3.1: both are encoded as in a form first.
    const basic = [clientId ?? '', secret]
      .map((text) => new URLSearchParams({ '': text }).toString().slice(1))
      .join(':')
    return {
      origin,
      path: `${pathname}${search}`,
      method: 'POST' as const,
      what: 'POST to the token URL',
      headers: {
        ...headers,
        'content-type': 'application/x-www-form-urlencoded',
        ...(clientId !== undefined && { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
      },
      body: form.toString(),
      maxBytes: maxTokenAnswerBytes,
      secret,
    }
  }
  const { endpoint } = request
  const secret = request.secret.expose()
  const { origin, pathname } = new URL(baseUrl)
  return {
    origin,
    path: `${pathname.replace(/\/+$/, '')}${request.path}`,
    method: 'GET' as const,
    what: inWords(endpoint),
    headers: {
      ...headers,
      [auth.header]: auth.scheme === '' ? secret : `${auth.scheme} ${secret}`,
    },
    maxBytes: endpoint.whole ? Math.max(api.maxBodyBytes, maxWholeBytes) : api.maxBodyBytes,
    secret,
  }
}

/** In seconds; the greatest of several: by RFC 9111 (5.1) the first one counts, but caches may append theirs. */
function ageOf(header: string | string[] | undefined): number | null {
  const ages = [header ?? []].flat().flatMap((line) => line.split(','))
  const known = ages.filter((age) => /^\s*\d+\s*$/.test(age)).map(Number)
  return known.length === 0 ? null : Math.max(...known)
}

/**
 * The wait of `Retry-After` (RFC 9110, section 10.2.3) in milliseconds, at most 24 hours; null when it states none or the
 * status gives it no meaning: some APIs limit rates by 403. A date counts from the answer's `Date` header, so that a wrong local clock has no effect.
 */
export function statedWait(
  status: number,
  header: string | undefined,
  date: number | null,
  now: number,
): number | null {
  if (status < 400 || status > 599 || status === 401) return null
  const text = header?.trim() ?? ''
  const isSeconds = /^\d+(\.\d+)?$/.test(text)
  const ms = isSeconds ? Number(text) * secondMs : (dateOf(text) ?? 0) - (date ?? now)
  return ms > 0 ? Math.min(ms, maxRetryAfterMs) : null
}

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .{10,40}$/

/** An HTTP date in milliseconds since the epoch; null for another text. */
export function dateOf(header = ''): number | null {
  const text = header.trim()
  // The oldest form names no zone; all are GMT.
  const ms = httpDate.test(text) ? Date.parse(/GMT|UTC|[+-]\d{4}$/.test(text) ? text : `${text} GMT`) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}
