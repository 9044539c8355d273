import { type Access, isRefusal, untilValidMs } from './credentials/access.ts'
import type { Endpoint } from './endpoints.ts'
import type { Gate } from './gate.ts'
import type { TenantObserver } from './reader.ts'
import { type ErrorFacts, readErrorFacts } from './transport/envelope.ts'
import { type Answer, statusFailure, statusOf } from './transport/outcome.ts'
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

export interface ReadAnswer extends Pick<Answer, 'ageSeconds' | 'date' | 'receivedAt' | 'receivedMonotonic'> {
  /** The body of a 200, in UTF-8; null for an absent record. */
  readonly body: Buffer | null
  /** Facts of a 404 or 410; null for a 200, whose body contains them. */
  readonly absent: Pick<ErrorFacts, 'requestId' | 'timestamp'> | null
  readonly identity: number
  readonly credential: string
}

/** Returns a 200 or, with `mayBeAbsent`, a 404 or 410, after retries (docs/internals/sync.md#14-waits); throws SyncError otherwise. */
export function createReadCall({ access, gate, observer, send }: ReadCallParts) {
  return async (call: ReadCall): Promise<ReadAnswer> => {
    const { endpoint, signal } = call
    let renewed = false
    for (let retries = 0; ; ) {
      const credential = await access.token(signal)
      const outcome = await send({ endpoint, method: 'GET', path: call.path, secret: credential.secret, signal })
      if (outcome.kind === 'answer') {
        const absent = call.mayBeAbsent ? denialIn(outcome) : null
        if (outcome.status === 200 || absent !== null) {
          gate.refill(retries)
          const body = absent !== null ? null : (outcome.body ?? Buffer.alloc(0))
          const identity = access.answered(endpoint, credential)
          return { ...outcome, body, absent, identity, credential: credential.digest }
        }
      }
      observer?.failed(statusOf(outcome))
      // Some APIs limit rates by a 403 with a wait.
      if (outcome.kind === 'answer' && isRefusal(outcome.status) && outcome.retryAfterMs === null) {
        if (renewed || !(await access.renewed(credential, signal)))
          throw await access.denied(endpoint, credential, outcome.status, signal)
        renewed = true
        await gate.sleep(untilValidMs, signal)
        continue
      }
      const { error, retriable } = outcome.kind === 'failure' ? outcome : statusFailure(outcome, contextOf(call))
      if (!retriable || !gate.mayRetry(retries)) throw error
      observer?.retry(error.reason)
      await gate.backOff(retries++, signal)
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
