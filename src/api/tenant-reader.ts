import { parseIsoDate } from '../model/dates.ts'
import { SyncError } from '../model/errors.ts'
import type { Fields, RecordOf } from '../model/fields.ts'
import { memoize } from '../model/memoize.ts'
import type { AnswerTimes } from './answer-times.ts'
import { latestDate, type RecordDecoder, recordDecoder } from './decode/record.ts'
import { badRequestHint, byIdEndpointOf, endpointOf, feedQuery, pageSizeOf } from './endpoints.ts'
import { isObject, kindOf } from './json.ts'
import type { ApiOptions } from './options.ts'
import type { Read, ReadAnswer } from './read-call.ts'
import type { AnswerMeta, Described, FeedQuery, Fetched, Lookup, TenantReader } from './reader.ts'
import { assertWhole, type Envelope, openEnvelope, readPagination, violation } from './transport/envelope.ts'

export function createTenantReader(read: Read, api: ApiOptions, answerTimes: AnswerTimes): TenantReader {
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
      return read(call, (answer, what): Fetched<RecordOf<F>> => {
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
      return read({ endpoint, path, mayBeAbsent: true, signal }, (answer, what): Lookup<RecordOf<F>> => {
        if (answer.absent !== null) {
          const serverTime = parseIsoDate(answer.absent.timestamp)?.ms ?? null
          const meta = metaOf(answer, { ...answer.absent, serverTime, oddities: [] }, what)
          // The specification does not define the format of errors, so missing metadata is no deviation.
          return { item: null, meta: { ...meta, oddities: [] } }
        }
        const envelope = openEnvelope(String(answer.body ?? ''), what)
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
