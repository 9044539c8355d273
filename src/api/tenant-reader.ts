import { parseIsoDate } from '../model/dates.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import type { Fields } from '../model/fields.ts'
import { memoize } from '../model/memoize.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import type { AnsweredRequest, AnswerTimes } from './answer-times.ts'
import { type RecordDecoder, recordDecoder } from './decode/record.ts'
import { isIntegerId, latestDate } from './decode/values.ts'
import { badRequestHint, byIdEndpointOf, endpointOf, feedQuery, type PageSize, pageSizeOf } from './endpoints.ts'
import { isObject, kindOf } from './json.ts'
import type { ApiOptions } from './options.ts'
import type { ReadAnswer, ReadCall } from './read-call.ts'
import type { AnswerMeta, Described, FeedQuery, Oddity, TenantObserver, TenantReader } from './reader.ts'
import {
  type Envelope,
  openEnvelope,
  type Pagination,
  readPagination,
  refusePart,
  violation,
} from './transport/envelope.ts'
import { inWords } from './transport/send.ts'

export interface TenantReaderParts {
  readonly read: (call: ReadCall) => Promise<ReadAnswer>
  readonly api: ApiOptions
  readonly answerTimes: AnswerTimes
  readonly observer: TenantObserver | undefined
}

type Asked = ReadAnswer & Pick<AnsweredRequest, 'request' | 'what'>
type Stated = Pick<AnsweredRequest, 'requestId' | 'resource' | 'serverTime' | 'timestamp'> &
  Partial<Pick<Envelope, 'oddities'>>

export function createTenantReader({ read, api, answerTimes, observer }: TenantReaderParts): TenantReader {
  const decoders = memoize((fields: Fields) => recordDecoder(fields))
  function decoderOf<F extends Fields>({ fields }: Described<F>): RecordDecoder<F> {
    return decoders(fields) as RecordDecoder<F>
  }

  /** Throws for a stale answer. */
  function metaOf(answer: Asked, stated: Stated): AnswerMeta {
    const { receivedAt, receivedMonotonic, identity, credential } = answer
    const { serverTime, requestId } = stated
    const oddities = [...answerTimes.note({ ...answer, ...stated }), ...(stated.oddities ?? [])]
    const meta = { requestId, serverTime, receivedAt, receivedMonotonic, identity, credential }
    return oddities.length === 0 ? meta : { ...meta, oddities }
  }

  /** Counts an unusable answer as a failed request. */
  function readAnswer<T>(decode: () => T): T {
    try {
      return decode()
    } catch (error) {
      observer?.failed(reasonOf(error))
      throw error
    }
  }

  return {
    async fetch<F extends Fields>(resource: Described<F>, query: FeedQuery, signal?: AbortSignal) {
      const { kind, name } = resource
      const endpoint = endpointOf(resource)
      const what = inWords('GET', endpoint)
      const pageSize = pageSizeOf(resource, api)
      const path = `${endpoint.template}${feedQuery(query, pageSize)}`
      const hint = kind === 'feed' ? badRequestHint(query, pageSize) : undefined
      const request = answerTimes.begin()
      const answer = await read({ endpoint, path, mayBeAbsent: false, badRequestHint: hint, signal })
      const body = answer.body ?? Buffer.alloc(0)
      const decode = decoderOf(resource)
      return readAnswer(() => {
        const envelope = openEnvelope(body.toString(), 200, what)
        const meta = metaOf({ ...answer, request, what }, { ...envelope, resource: name })
        if (kind === 'whole') {
          return {
            items: wholeItems(envelope, resource, what, decode),
            nextCursor: null,
            hasMore: false,
            meta,
          }
        }
        const pagination = readPagination(envelope, what)
        const items = readItems(envelope, what, decode)
        const oddities = limitOddities(pageSize, pagination)
        return { items, ...pagination, oddities, meta, bytes: body.length }
      })
    },
    async fetchOne<F extends Fields>(resource: Described<F>, id: number, signal?: AbortSignal) {
      const endpoint = byIdEndpointOf(resource)
      if (endpoint === null) throw new SyncError('internal', `${resource.name} was asked for by id`)
      if (!isIntegerId(id)) {
        throw new SyncError('internal', `${endpoint.template} was asked for an id that is no integer`)
      }
      const what = inWords('GET', endpoint)
      const path = endpoint.template.replace('{id}', String(id))
      const request = answerTimes.begin()
      const answer = { ...(await read({ endpoint, path, mayBeAbsent: true, signal })), request, what }
      return readAnswer(() => {
        if (answer.body === null) {
          const { requestId = null, timestamp } = answer.absent ?? {}
          const serverTime = parseIsoDate(timestamp)?.ms ?? null
          // The specification does not define the format of errors, so missing metadata is no deviation.
          const { oddities: _, ...meta } = metaOf(answer, { requestId, timestamp, serverTime, resource: null })
          return { item: null, meta }
        }
        const envelope = openEnvelope(answer.body.toString(), 200, what)
        const meta = metaOf(answer, { ...envelope, resource: null })
        const item = decoderOf(resource)(singleData(envelope, what), latestDate(envelope.serverTime))
        const got = item.ok ? Reflect.get(item.record, resource.idField ?? '') : item.id
        if (got !== null && got !== id) {
          throw violation(what, 200, 'the record is not the one asked for', meta.requestId)
        }
        return { item, meta }
      })
    },
  }
}

function limitOddities(asked: PageSize | null, { limit }: Pagination): readonly Oddity[] {
  if (asked === null || limit === null || limit === asked.size) return []
  return [{ kind: 'limit_differs', field: 'pagination.limit' }]
}

/** Far above any answer within the body caps, and small enough for one transaction. */
const maxRecords = 100_000

/** The items of a resource that comes in one answer: a list, or one object. */
function wholeItems<F>(envelope: Envelope, { idField }: ResourceDefinition, what: string, decode: RecordDecoder<F>) {
  if (idField === null) return [decode(singleData(envelope, what))]
  refusePart(envelope, what)
  return readItems(envelope, what, decode)
}

function readItems<F>({ data, requestId, serverTime }: Envelope, what: string, decode: RecordDecoder<F>) {
  if (!Array.isArray(data)) throw violation(what, 200, `data is ${kindOf(data)}, not an array`, requestId)
  if (data.length > maxRecords) {
    throw new SyncError('too_large', `${what} answered 200 with more than ${maxRecords} records`, { status: 200 })
  }
  const latest = latestDate(serverTime)
  return (data as readonly unknown[]).map((item) => decode(item, latest))
}

function singleData({ data, requestId }: Envelope, what: string): unknown {
  if (isObject(data)) return data
  throw violation(what, 200, `data is ${kindOf(data)}, not an object`, requestId)
}
