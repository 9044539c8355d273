import { reasonOf, SyncError } from '../model/errors.ts'
import type { Fields, RecordOf } from '../model/fields.ts'
import { memoize } from '../model/memoize.ts'
import { idOf } from '../model/reading.ts'
import { isObject, kindOf } from '../model/text/json.ts'
import { parseIsoDate } from '../model/time.ts'
import { type AnswerTimes, RecentReplay } from './answer-times.ts'
import { type Access, isRefusal, untilValidMs } from './credentials/access.ts'
import { latestDate, type RecordDecoder, recordDecoder } from './decode/record.ts'
import { badRequestHint, byIdEndpointOf, type Endpoint, endpointOf, feedQuery, pageSizeOf } from './endpoints.ts'
import type { Gate } from './gate.ts'
import type { ApiOptions } from './options.ts'
import type { AnswerMeta, Described, FeedQuery, Fetched, Lookup, TenantObserver, TenantReader } from './reader.ts'
import {
  assertWhole,
  type Envelope,
  type ErrorFacts,
  openEnvelope,
  readErrorFacts,
  readPagination,
  violation,
} from './transport/envelope.ts'
import { type Answer, type Failure, statusFailure, statusOf } from './transport/outcome.ts'
import { inWords, type Send, type TenantRequest } from './transport/send.ts'

interface ReaderParts {
  readonly send: Send<TenantRequest>
  readonly access: Access
  readonly gate: Gate
  readonly observer: TenantObserver | undefined
  readonly api: ApiOptions
  readonly answerTimes: AnswerTimes
}

export function createTenantReader(parts: ReaderParts): TenantReader {
  const { api, answerTimes } = parts
  const decoders = memoize((fields: Fields) => recordDecoder(fields))
  function decoderOf<F extends Fields>({ fields }: Described<F>): RecordDecoder<F> {
    return decoders(fields) as RecordDecoder<F>
  }

  /** Throws for a stale answer. */
  function metaOf(answer: ReadAnswer, envelope: Omit<Envelope, 'data' | 'pagination'>, what: string): AnswerMeta {
    const { receivedAt, receivedMonotonic, identity, credential } = answer
    const { requestId, serverTime, oddities } = envelope
    const noted = answerTimes.note({ ...answer, ...envelope, what })
    const all = [...noted, ...oddities]
    return { requestId, serverTime, receivedAt, receivedMonotonic, identity, credential, oddities: all }
  }

  return {
    async fetch<F extends Fields>(resource: Described<F>, query: FeedQuery, signal?: AbortSignal) {
      const { kind, idField } = resource
      const endpoint = endpointOf(resource)
      const pageSize = pageSizeOf(resource, api)
      const path = `${endpoint.template}${feedQuery(query, pageSize)}`
      const hint = kind === 'feed' ? badRequestHint(query, pageSize) : undefined
      const call = { endpoint, path, mayBeAbsent: false, badRequestHint: hint, signal }
      return read(parts, call, (answer, what): Fetched<RecordOf<F>> => {
        const envelope = openEnvelope(String(answer.body ?? ''), what)
        const meta = metaOf(answer, envelope, what)
        const { data, requestId, serverTime } = envelope
        if (idField !== null && !Array.isArray(data)) {
          throw violation(what, `data is ${kindOf(data)}, not an array`, requestId)
        }
        const records: readonly unknown[] = idField !== null ? (data as unknown[]) : [singleData(envelope, what)]
        if (records.length > maxRecords) {
          throw new SyncError('too_large', `${what} answered 200 with more than ${maxRecords} records`, { status: 200 })
        }
        const [decode, latest] = [decoderOf(resource), latestDate(serverTime)]
        const items = records.map((record) => decode(record, latest))
        if (kind === 'whole') {
          if (idField !== null) assertWhole(envelope, what)
          return { items, nextCursor: null, hasMore: false, meta }
        }
        const pagination = readPagination(envelope, what)
        const { limit } = pagination
        if (pageSize === null || limit === null || limit === pageSize.size) return { items, ...pagination, meta }
        const differs = { kind: 'limit_differs', field: 'pagination.limit' } as const
        return { items, ...pagination, meta: { ...meta, oddities: [...meta.oddities, differs] } }
      })
    },
    async fetchOne<F extends Fields>(resource: Described<F>, id: number, signal?: AbortSignal) {
      const endpoint = byIdEndpointOf(resource)
      if (endpoint === null || !Number.isSafeInteger(id)) {
        throw new SyncError('internal', `${resource.name} cannot be asked for by this id`)
      }
      const path = endpoint.template.replace('{id}', String(id))
      return read(parts, { endpoint, path, mayBeAbsent: true, signal }, (answer, what): Lookup<RecordOf<F>> => {
        if (answer.absent !== null) {
          const serverTime = parseIsoDate(answer.absent.timestamp)?.ms ?? null
          const meta = metaOf(answer, { ...answer.absent, serverTime, oddities: [] }, what)
          // The specification does not define the format of errors, so missing metadata is no deviation.
          return { item: null, meta: { ...meta, oddities: [] } }
        }
        const envelope = openEnvelope(String(answer.body ?? ''), what)
        const meta = metaOf(answer, envelope, what)
        const item = decoderOf(resource)(singleData(envelope, what), latestDate(envelope.serverTime))
        if (idOf(item, resource.idField) === id) return { item, meta }
        throw violation(what, 'the record is not the one asked for', meta.requestId)
      })
    },
  }
}

/** Far above any answer within the body caps, and small enough for one transaction. */
const maxRecords = 100_000

function singleData({ data, requestId }: Envelope, what: string): unknown {
  if (isObject(data)) return data
  throw violation(what, `data is ${kindOf(data)}, not an object`, requestId)
}

interface ReadCall {
  readonly endpoint: Endpoint
  readonly path: string
  readonly mayBeAbsent: boolean
  readonly badRequestHint?: string | undefined
  readonly signal?: AbortSignal | undefined
}

interface ReadAnswer extends Answer {
  /** Facts of a 404 or 410, without a record; null for a 200, whose body contains them. */
  readonly absent: ErrorFacts | null
  readonly identity: number
  readonly credential: string
}

/** Decodes a 200 or, with `mayBeAbsent`, a 404 or 410. Throws SyncError for an answer that cannot be used. */
type Decode<T> = (answer: ReadAnswer, what: string) => T

/** Reads an answer after retries (docs/internals/sync.md#14-waits); throws SyncError. */
async function read<T>({ access, gate, observer, send }: ReaderParts, call: ReadCall, decode: Decode<T>): Promise<T> {
  const { endpoint, path, mayBeAbsent, badRequestHint, signal } = call
  const { permission } = endpoint
  const what = inWords(endpoint)
  let renewed = false
  for (let retries = 0; ; ) {
    const credential = await access.token(signal)
    const outcome = await send({ endpoint, path, secret: credential.secret, signal })
    let failure: Failure
    const absent = outcome.kind === 'answer' && mayBeAbsent ? denialIn(outcome) : null
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
        if (renewed || !(await access.renewed(credential, endpoint, signal)))
          throw await access.denied(endpoint, credential, outcome.status, signal)
        renewed = true
        await gate.sleep(untilValidMs, signal)
        continue
      }
      const notFoundHint = mayBeAbsent ? unprovenHint : undefined
      const context = { what, permission, badRequestHint, notFoundHint }
      failure = outcome.kind === 'failure' ? outcome : statusFailure(outcome, context)
    }
    if (!failure.retriable || !gate.mayRetry(retries)) throw failure.error
    observer?.retry(failure.error.reason)
    // Short-lived caches outlast shorter waits.
    await gate.backOff(retries++, signal, failure.error instanceof RecentReplay ? 1 : undefined)
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
  'A 404 or 410 counts only with the envelope of the API, without data and with an error whose code, if it states one, is NOT_FOUND or GONE: something before the API may have sent it'
