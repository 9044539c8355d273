import { parseIsoDate } from '../model/dates.ts'
import { secondMs } from '../model/durations.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import type { Fields, RecordOf } from '../model/fields.ts'
import { memoize } from '../model/memoize.ts'
import { type AnswerTimes, RecentReplay } from './answer-times.ts'
import { latestDate, type RecordDecoder, recordDecoder } from './decode/record.ts'
import { badRequestHint, byIdEndpointOf, endpointOf, feedQuery, pageSizeOf } from './endpoints.ts'
import type { Gate } from './gate.ts'
import { isObject, kindOf } from './json.ts'
import type { ApiOptions } from './options.ts'
import type { ReadAnswer, ReadCall } from './read-call.ts'
import type { AnswerMeta, Described, FeedQuery, Fetched, Lookup, TenantObserver, TenantReader } from './reader.ts'
import { assertWhole, type Envelope, openEnvelope, readPagination, violation } from './transport/envelope.ts'
import { inWords } from './transport/send.ts'

export interface TenantReaderParts {
  readonly read: (call: ReadCall) => Promise<ReadAnswer>
  readonly gate: Pick<Gate, 'sleep'>
  readonly api: ApiOptions
  readonly answerTimes: AnswerTimes
  readonly observer: TenantObserver | undefined
}

/** Pauses before a recent replay is read again, in milliseconds: caches may keep answers for less than their sum. */
const pausesMs = [1, 2, 4].map((seconds) => seconds * secondMs)

export function createTenantReader({ read, gate, api, answerTimes, observer }: TenantReaderParts): TenantReader {
  const decoders = memoize((fields: Fields) => recordDecoder(fields))
  function decoderOf<F extends Fields>({ fields }: Described<F>): RecordDecoder<F> {
    return decoders(fields) as RecordDecoder<F>
  }

  /** An unusable answer counts as a failed request; a recent replay is asked for again (docs/internals/sync.md#10-time-of-an-answer). */
  async function ask<T>(call: ReadCall, decode: (answer: ReadAnswer, what: string) => T): Promise<T> {
    for (const pauseMs of [...pausesMs, null]) {
      const answer = await read(call)
      try {
        return decode(answer, inWords('GET', call.endpoint))
      } catch (error) {
        observer?.failed(reasonOf(error))
        if (!(error instanceof RecentReplay) || pauseMs === null) throw error
        observer?.retry(error.reason)
        await gate.sleep(pauseMs, call.signal)
      }
    }
    throw new TypeError('The last attempt returns or throws')
  }

  /** Throws for a stale answer. */
  function metaOf(
    { receivedAt, receivedMonotonic, ageSeconds = null, date = null, identity, credential }: ReadAnswer,
    { requestId, serverTime, timestamp, oddities = [] }: Omit<Envelope, 'data' | 'pagination'>,
    what: string,
  ): AnswerMeta {
    const received = { receivedAt, receivedMonotonic }
    const facts = { requestId, serverTime, timestamp, ageSeconds, date, ...received }
    const noted = answerTimes.note({ what, ...facts })
    return { requestId, serverTime, ...received, identity, credential, oddities: [...noted, ...oddities] }
  }

  return {
    async fetch<F extends Fields>(resource: Described<F>, query: FeedQuery, signal?: AbortSignal) {
      const { kind, idField } = resource
      const endpoint = endpointOf(resource)
      const pageSize = pageSizeOf(resource, api)
      const path = `${endpoint.template}${feedQuery(query, pageSize)}`
      const hint = kind === 'feed' ? badRequestHint(query, pageSize) : undefined
      const call = { endpoint, path, mayBeAbsent: false, badRequestHint: hint, signal }
      return ask(call, (answer, what): Fetched<RecordOf<F>> => {
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
        const isAsDue = pageSize === null || pagination.limit === null || pagination.limit === pageSize.size
        const oddities = isAsDue ? [] : [{ kind: 'limit_differs' as const, field: 'pagination.limit' }]
        return { items, ...pagination, oddities, meta }
      })
    },
    async fetchOne<F extends Fields>(resource: Described<F>, id: number, signal?: AbortSignal) {
      const endpoint = byIdEndpointOf(resource)
      if (endpoint === null || !Number.isSafeInteger(id)) {
        throw new SyncError('internal', `${resource.name} cannot be asked for by this id`)
      }
      const path = endpoint.template.replace('{id}', String(id))
      return ask({ endpoint, path, mayBeAbsent: true, signal }, (answer, what): Lookup<RecordOf<F>> => {
        if (answer.body === null) {
          const { requestId = null, timestamp } = answer.absent ?? {}
          const stated = { requestId, timestamp, serverTime: parseIsoDate(timestamp)?.ms ?? null, oddities: [] }
          // The specification does not define the format of errors, so missing metadata is no deviation.
          return { item: null, meta: { ...metaOf(answer, stated, what), oddities: [] } }
        }
        const envelope = openEnvelope(answer.body.toString(), what)
        const meta = metaOf(answer, envelope, what)
        const item = decoderOf(resource)(singleData(envelope, what), latestDate(envelope.serverTime))
        const got = item.ok ? Reflect.get(item.record, resource.idField ?? '') : item.id
        if (got === id) return { item, meta }
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
