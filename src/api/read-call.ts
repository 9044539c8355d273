import type { Random } from '../model/clock.ts'
import { type Access, isRefusal } from './credentials/access.ts'
import type { Endpoint } from './endpoints.ts'
import type { RateLimiter } from './limits/rate-limiter.ts'
import type { TenantObserver } from './reader.ts'
import { type ErrorFacts, readErrorFacts } from './transport/envelope.ts'
import { type Answer, type Failure, statusFailure, statusOf } from './transport/outcome.ts'
import { inWords, type Send, type TenantRequest } from './transport/send.ts'

const usualCapacity = 20
const perSuccess = 0.2

/**
 * Budget of retries. A call that succeeds after retries returns one, another success a fifth: a broken server causes at
 * most a fifth more requests.
 */
export class RetryBucket {
  readonly #capacity: number
  #tokens: number

  constructor(capacity = usualCapacity) {
    this.#capacity = capacity
    this.#tokens = capacity
  }

  take(): boolean {
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  succeeded(retries: number): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + (retries > 0 ? 1 : perSuccess))
  }
}

const maxRetries = 4

const baseMs = 1000
const capMs = 8000

/** Full jitter over 1, 2, 4, 8 s in milliseconds, so that clients do not retry together; `retry` starts at 1. */
function backoffMs(retry: number, random: Random): number {
  return Math.floor(random() * Math.min(capMs, baseMs * 2 ** (retry - 1)))
}

export interface ReadCallParts {
  readonly send: Send<TenantRequest>
  readonly access: Access
  readonly rateLimiter: RateLimiter
  readonly bucket: RetryBucket
  readonly random: Random
  readonly observer: TenantObserver | undefined
}

export interface ReadCall {
  readonly endpoint: Endpoint
  readonly path: string
  readonly mayBeAbsent: boolean
  readonly badRequestHint?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ReadAnswer {
  /** The body of a 200, in UTF-8; null for an absent record. */
  readonly body: Buffer | null
  /** Facts of a 404 or 410; null for a 200, whose body contains them. */
  readonly absent: Pick<ErrorFacts, 'requestId' | 'timestamp'> | null
  readonly ageSeconds: number | null
  readonly date: number | null
  readonly receivedAt: number
  readonly receivedMonotonic: number
  readonly identity: number
  readonly credential: string
}

/** Returns a 200 or, with `mayBeAbsent`, a 404 or 410; throws SyncError otherwise. */
export function createReadCall(parts: ReadCallParts): (call: ReadCall) => Promise<ReadAnswer> {
  const { access, bucket, observer, rateLimiter, send } = parts
  /** Allows one free retry when the server closed a kept-alive connection; true again after a success. */
  let mayBeStale = false

  async function pause(failure: Failure, retries: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (failure.untouched && mayBeStale) {
      mayBeStale = false
      observer?.retry(failure.error.reason)
      return false
    }
    if (!failure.retriable || retries >= maxRetries || !bucket.take()) throw failure.error
    observer?.retry(failure.error.reason)
    await rateLimiter.sleep(backoffMs(retries + 1, parts.random), signal)
    return true
  }

  return async (call) => {
    const { endpoint, signal } = call
    let retries = 0
    let renewed = false
    for (;;) {
      const credential = await access.token(signal)
      const outcome = await send({ endpoint, method: 'GET', path: call.path, secret: credential.secret, signal })
      if (outcome.kind === 'answer') {
        const { status, body, receivedAt, receivedMonotonic, ageSeconds = null, date = null } = outcome
        const denial = call.mayBeAbsent ? denialIn(outcome) : null
        if (status === 200 || denial !== null) {
          bucket.succeeded(retries)
          mayBeStale = true
          return {
            body: denial !== null ? null : (body ?? Buffer.alloc(0)),
            absent: denial,
            ageSeconds,
            date,
            receivedAt,
            receivedMonotonic,
            identity: access.answered(endpoint, credential),
            credential: credential.digest,
          }
        }
      }
      observer?.failed(statusOf(outcome))
      if (outcome.kind === 'answer') {
        const { status } = outcome
        if (status === 401 && !renewed && (await access.renewed(credential, signal))) {
          renewed = true
          continue
        }
        if (isRefusal(status)) throw await access.denied(endpoint, credential, status, signal)
      }
      const failure = outcome.kind === 'failure' ? outcome : statusFailure(outcome, contextOf(call))
      if (await pause(failure, retries, signal)) retries += 1
    }
  }
}

const absentCodes: readonly (string | null)[] = [null, 'NOT_FOUND', 'GONE']

/** A 404 or 410 removes a user from the mirror, so it must be the API's, not a proxy's, with no other error code. */
function denialIn({ status, body }: Answer): ErrorFacts | null {
  if (status !== 404 && status !== 410) return null
  const facts = readErrorFacts(body)
  return facts.enveloped && absentCodes.includes(facts.code) ? facts : null
}

const unprovenHint =
  'A 404 or 410 counts only with the envelope of the API and an error in it whose code, if it states one, is NOT_FOUND or GONE: something before the API may have sent it'

function contextOf({ endpoint, badRequestHint, mayBeAbsent }: ReadCall) {
  const notFoundHint = mayBeAbsent ? unprovenHint : undefined
  return { what: inWords('GET', endpoint), permission: endpoint.permission, badRequestHint, notFoundHint }
}
