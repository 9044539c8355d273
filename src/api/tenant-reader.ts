import { hash } from 'node:crypto'
import { parseIsoDate } from '../model/dates.ts'
import { SyncError } from '../model/errors.ts'
import type { Fields, RecordOf } from '../model/fields.ts'
import { memoize } from '../model/memoize.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import { apiClients } from '../resources/api-clients.ts'
import { authenticationSettings } from '../resources/authentication-settings.ts'
import { documents } from '../resources/documents.ts'
import { permissions } from '../resources/permissions.ts'
import { roles } from '../resources/roles.ts'
import { users } from '../resources/users.ts'
import type { AnsweredRequest, AnswerTimes } from './answer-times.ts'
import { isIntegerId } from './decode/identifiers.ts'
import { kindOf } from './decode/kind-of.ts'
import { type RecordDecoder, recordDecoder } from './decode/record.ts'
import { latestDate } from './decode/strict-fields.ts'
import { type Endpoint, endpointOf, getRoleEndpoint, lookUpEndpointOf } from './endpoints.ts'
import type { ApiOptions } from './options.ts'
import { badRequestHint, feedQuery, type PageSize, pageSizeOf } from './query.ts'
import type { ReadAnswer, ReadCall } from './read-call.ts'
import type { AnswerMeta, FeedQuery, Listing, Lookup, Oddity, Page, Reading, Single, TenantReader } from './reader.ts'
import { type Envelope, openEnvelope, violation } from './transport/envelope.ts'
import { type Pagination, readPagination, refusePart } from './transport/pagination.ts'
import { recordsDigest } from './transport/records-digest.ts'
import { inWords } from './transport/send.ts'

export interface TenantReaderParts {
  readonly read: (call: ReadCall) => Promise<ReadAnswer>
  readonly api: ApiOptions
  readonly answerTimes: AnswerTimes
  /** Part of the digest: another version may decode the same records differently. */
  readonly version: string
}

type Mirrored<F extends Fields> = ResourceDefinition & { readonly fields: F }

type Asked = ReadAnswer & Pick<AnsweredRequest, 'request' | 'what'>
type Stated = Pick<AnsweredRequest, 'requestId' | 'resource' | 'serverTime' | 'timestamp'>

export function createTenantReader({ read, api, answerTimes, version }: TenantReaderParts): TenantReader {
  const decoders = memoize((fields: Fields) => recordDecoder(fields))
  const decoderOf = <F extends Fields>({ fields }: Mirrored<F>) => decoders(fields) as RecordDecoder<F>

  // Another version or field table may decode the same page differently.
  const saltOf = memoize(
    (fields: Fields) => `${version} ${hash('sha256', JSON.stringify(fields), 'base64url').slice(0, 8)}`,
  )

  async function ask(call: ReadCall): Promise<Asked> {
    const request = answerTimes.begin()
    return { ...(await read(call)), request, what: inWords('GET', call.endpoint) }
  }

  function open(endpoint: Endpoint, text: string, answer: Asked): { envelope: Envelope; meta: AnswerMeta } {
    const envelope = openEnvelope(text, 200, answer.what)
    return { envelope, meta: metaOf(answer, { ...envelope, resource: endpoint.resource }) }
  }

  /** Throws for a stale answer. */
  function metaOf(answer: Asked, stated: Stated): AnswerMeta {
    const { receivedAt, receivedMonotonic, identity } = answer
    const { serverTime } = stated
    // A server may echo the token.
    const isEcho = stated.requestId?.includes(answer.secret.expose()) === true
    const requestId = isEcho ? '[withheld]' : stated.requestId
    const oddities = answerTimes.note({ ...answer, ...stated })
    const meta = { requestId, serverTime, receivedAt, receivedMonotonic, identity }
    return oddities.length === 0 ? meta : { ...meta, oddities }
  }

  async function whole(endpoint: Endpoint, path: string, signal?: AbortSignal) {
    const answer = await ask({ endpoint, path, absentOn404: false, signal })
    return open(endpoint, answer.body?.toString() ?? '', answer)
  }

  async function list<F extends Fields>(resource: Mirrored<F>, signal?: AbortSignal): Promise<Listing<RecordOf<F>>> {
    const endpoint = endpointOf(resource)
    const { envelope, meta } = await whole(endpoint, endpoint.template, signal)
    refusePart(envelope, inWords('GET', endpoint))
    return { items: readItems(envelope, endpoint, decoderOf(resource)), meta }
  }

  async function single<F extends Fields>(resource: Mirrored<F>, signal?: AbortSignal): Promise<Single<RecordOf<F>>> {
    const endpoint = endpointOf(resource)
    const { envelope, meta } = await whole(endpoint, endpoint.template, signal)
    return { item: decoderOf(resource)(singleData(envelope, endpoint)), meta }
  }

  async function page<F extends Fields>(
    resource: Mirrored<F>,
    query: FeedQuery,
    signal?: AbortSignal,
    unless?: string,
  ): Promise<Page<RecordOf<F>>> {
    const endpoint = endpointOf(resource)
    const pageSize = pageSizeOf(resource, api)
    const path = `${endpoint.template}${feedQuery(query, pageSize)}`
    const hint = badRequestHint(query, pageSize)
    const answer = await ask({ endpoint, path, absentOn404: false, badRequestHint: hint, signal })
    const body = answer.body ?? Buffer.alloc(0)
    const records = recordsDigest(body, saltOf(resource.fields))
    const same = records !== null && records.digest === unless
    const { envelope, meta } = open(endpoint, same ? records.rest : body.toString(), answer)
    const pagination = readPagination(envelope, inWords('GET', endpoint))
    const items = readItems(envelope, endpoint, decoderOf(resource))
    const oddities = limitOddities(pageSize, pagination)
    return { items, ...pagination, oddities, meta, bytes: body.length, digest: records?.digest ?? null, same }
  }

  async function byId<F extends Fields>(
    resource: Mirrored<F>,
    endpoint: Endpoint | null,
    id: number,
    signal?: AbortSignal,
  ): Promise<Lookup<RecordOf<F>>> {
    if (endpoint === null) throw new SyncError('internal', `${resource.name} was asked for by id`)
    if (!isIntegerId(id)) throw new SyncError('internal', `${endpoint.template} was asked for an id that is no integer`)
    const path = endpoint.template.replace('{id}', String(id))
    const answer = await ask({ endpoint, path, absentOn404: true, signal })
    if (answer.body === null) {
      const { requestId = null, timestamp } = answer.absent ?? {}
      const serverTime = parseIsoDate(timestamp)?.ms ?? null
      // The format of errors is unspecified, so missing metadata is no deviation.
      const { oddities: _, ...meta } = metaOf(answer, { requestId, timestamp, serverTime, resource: null })
      return { item: null, meta }
    }
    const envelope = openEnvelope(answer.body.toString(), 200, answer.what)
    const meta = metaOf(answer, { ...envelope, resource: null })
    const item = decoderOf(resource)(singleData(envelope, endpoint), latestDate(envelope.serverTime))
    const got = item.ok ? Reflect.get(item.record, resource.idField ?? '') : item.id
    if (got !== null && got !== id) {
      throw violation(inWords('GET', endpoint), 200, 'the record is not the one asked for', meta.requestId)
    }
    return { item, meta }
  }

  return {
    async fetch(resource, query, signal, unless) {
      if (resource.kind !== 'whole') return page(resource, query, signal, unless)
      const { items, meta } =
        resource.idField === null ? asList(await single(resource, signal)) : await list(resource, signal)
      return { items, nextCursor: null, hasMore: false, meta }
    },
    fetchOne: (resource, id, signal) => byId(resource, lookUpEndpointOf(resource), id, signal),
    listUsers: (query, signal, unless) => page(users, query, signal, unless),
    getUser: (userId, signal) => byId(users, lookUpEndpointOf(users), userId, signal),
    listRoles: (signal) => list(roles, signal),
    getRole: (roleId, signal) => byId(roles, getRoleEndpoint, roleId, signal),
    listPermissions: (signal) => list(permissions, signal),
    getAuthenticationSettings: (signal) => single(authenticationSettings, signal),
    listApiClients: (query, signal) => page(apiClients, query, signal),
    listDocuments: (query, signal, unless) => page(documents, query, signal, unless),
  }
}

function asList<T>({ item, meta }: Single<T>): Listing<T> {
  return { items: [item], meta }
}

function limitOddities(asked: PageSize | null, { limit }: Pagination): readonly Oddity[] {
  if (asked === null || limit === null || limit === asked.size) return []
  return [{ kind: 'limit_differs', field: 'pagination.limit' }]
}

/** Far above any answer within the body caps, and small enough for one transaction. */
const maxRecords = 100_000

function readItems<F>(
  { data, requestId, serverTime }: Envelope,
  endpoint: Endpoint,
  decode: RecordDecoder<F>,
): readonly Reading<RecordOf<F>>[] {
  if (!Array.isArray(data)) {
    throw violation(inWords('GET', endpoint), 200, `data is ${kindOf(data)}, not an array`, requestId)
  }
  if (data.length > maxRecords) {
    const problem = `${inWords('GET', endpoint)} answered 200 with more than ${maxRecords} records`
    throw new SyncError('too_large', problem, { status: 200 })
  }
  const latest = latestDate(serverTime)
  return (data as readonly unknown[]).map((item) => decode(item, latest))
}

function singleData({ data, requestId }: Envelope, endpoint: Endpoint): unknown {
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data
  throw violation(inWords('GET', endpoint), 200, `data is ${kindOf(data)}, not an object`, requestId)
}
