import { reasonOf } from '../model/errors.ts'
import { RecentReplay } from './answer-times.ts'
import { type Access, isRefusal, untilValidMs } from './credentials/access.ts'
import type { Endpoint } from './endpoints.ts'
import type { Gate } from './gate.ts'
import type { TenantObserver } from './reader.ts'
import { type ErrorFacts, readErrorFacts } from './transport/envelope.ts'
import { type Answer, type Failure, statusFailure, statusOf } from './transport/outcome.ts'
import { inWords, type Send, type TenantRequest } from './transport/send.ts'

export interface ReadCallParts {
  readonly send: Send<TenantRequest>
  readonly access: Access
  readonly gate: Gate
  readonly observer: TenantObserver | undefined
}

export interface ReadCall {
  readonly endpoint: Endpoint
  readonly path: string
  readonly mayBeAbsent: boolean
  readonly badRequestHint?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ReadAnswer extends Answer {
  /** Facts of a 404 or 410, without a record; null for a 200, whose body contains them. */
  readonly absent: ErrorFacts | null
  readonly identity: number
  readonly credential: string
}

/** Decodes a 200 or, with `mayBeAbsent`, a 404 or 410. Throws SyncError for an answer that cannot be used. */
export type Decode<T> = (answer: ReadAnswer, what: string) => T

export type Read = <T>(call: ReadCall, decode: Decode<T>) => Promise<T>

/** Reads an answer after retries (docs/internals/sync.md#14-waits); throws SyncError. */
export function createReadCall({ access, gate, observer, send }: ReadCallParts): Read {
  return async (call, decode) => {
    const { endpoint, path, signal } = call
    const what = inWords('GET', endpoint)
    let renewed = false
    for (let retries = 0; ; ) {
      const credential = await access.token(signal)
      const outcome = await send({ endpoint, method: 'GET', path, secret: credential.secret, signal })
      let failure: Failure
      const absent = outcome.kind === 'answer' && call.mayBeAbsent ? denialIn(outcome) : null
      if (outcome.kind === 'answer' && (outcome.status === 200 || absent !== null)) {
        const identity = access.answered(endpoint, credential)
        try {
          const value = decode({ ...outcome, absent, identity, credential: credential.digest }, what)
          gate.refill(retries)
          return value
        } catch (error) {
          observer?.failed(reasonOf(error))
          if (!(error instanceof RecentReplay)) throw error
          failure = { kind: 'failure', error, retriable: true }
        }
      } else {
        observer?.failed(statusOf(outcome))
        // Some APIs limit rates by a 403 with a wait.
        if (outcome.kind === 'answer' && isRefusal(outcome.status) && outcome.retryAfterMs === null) {
          if (renewed || !(await access.renewed(credential, signal)))
            throw await access.denied(endpoint, credential, outcome.status, signal)
          renewed = true
          await gate.sleep(untilValidMs, signal)
          continue
        }
        failure = outcome.kind === 'failure' ? outcome : statusFailure(outcome, contextOf(call))
      }
      if (!failure.retriable || !gate.mayRetry(retries)) throw failure.error
      observer?.retry(failure.error.reason)
      // Short-lived caches outlast shorter waits.
      await gate.backOff(retries++, signal, failure.error instanceof RecentReplay ? 1 : undefined)
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
