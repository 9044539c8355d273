import { parseIsoDate } from '../model/dates.ts'
import { SyncError } from '../model/errors.ts'
import type { AnsweredRequest, AnswerTimes } from './answer-times.ts'
import { readApiClient } from './decode/api-client.ts'
import { readAuthenticationSettings } from './decode/authentication-settings.ts'
import { readDocument } from './decode/document.ts'
import { isIntegerId } from './decode/identifiers.ts'
import { kindOf } from './decode/kind-of.ts'
import { readPermission } from './decode/permission.ts'
import { readRole } from './decode/role.ts'
import { latestDate } from './decode/strict-fields.ts'
import { readUser } from './decode/user.ts'
import { type Endpoint, endpoints } from './endpoints.ts'
import type { ApiOptions } from './options.ts'
import { badRequestHint, feedQuery, type PageSize, pageSizeOf } from './query.ts'
import type { ReadAnswer, ReadCall } from './read-call.ts'
import type { AnswerMeta, FeedQuery, Listing, Lookup, Oddity, Page, Reading, TenantReader } from './reader.ts'
import { type Envelope, openEnvelope, violation } from './transport/envelope.ts'
import { type Pagination, readPagination, refusePart } from './transport/pagination.ts'
import { recordsDigest } from './transport/records-digest.ts'
import { inWords } from './transport/send.ts'

export interface TenantReaderParts {
  readonly read: (call: ReadCall) => Promise<ReadAnswer>
  readonly api: ApiOptions
  readonly answerTimes: AnswerTimes
  /** Of this program: another one may read the same records otherwise. */
  readonly version: string
}

/** `latest`: a date of creation or change behind it is implausible, in milliseconds since the epoch. */
type Read<T> = (raw: unknown, latest: number) => Reading<T>

type Asked = ReadAnswer & Pick<AnsweredRequest, 'request' | 'what'>
type Stated = Pick<AnsweredRequest, 'requestId' | 'resource' | 'serverTime' | 'timestamp'>

/** The eight reading endpoints over a reading call. */
export function createTenantReader({ read, api, answerTimes, version }: TenantReaderParts): TenantReader {
  async function ask(call: ReadCall): Promise<Asked> {
    const request = answerTimes.begin()
    return { ...(await read(call)), request, what: inWords('GET', call.endpoint) }
  }

  function open(endpoint: Endpoint, text: string, answer: Asked): { envelope: Envelope; meta: AnswerMeta } {
    const envelope = openEnvelope(text, 200, answer.what)
    return { envelope, meta: metaOf(answer, { ...envelope, resource: endpoint.resource }) }
  }

  /** Everything that an answer states goes through here: an old one is thrown. */
  function metaOf(answer: Asked, stated: Stated): AnswerMeta {
    const { receivedAt, receivedMonotonic, identity } = answer
    const { serverTime } = stated
    // A server may send back what it was sent.
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

  async function list<T>(endpoint: Endpoint, one: Read<T>, signal?: AbortSignal): Promise<Listing<T>> {
    const { envelope, meta } = await whole(endpoint, endpoint.template, signal)
    refusePart(envelope, inWords('GET', endpoint))
    return { items: readItems(envelope, endpoint, one), meta }
  }

  async function page<T>(
    endpoint: Endpoint,
    one: Read<T>,
    query: FeedQuery,
    pageSize: PageSize | null,
    signal?: AbortSignal,
    unless?: string,
  ): Promise<Page<T>> {
    const path = `${endpoint.template}${feedQuery(query, pageSize)}`
    const hint = badRequestHint(query, pageSize)
    const answer = await ask({ endpoint, path, absentOn404: false, badRequestHint: hint, signal })
    const body = answer.body ?? Buffer.alloc(0)
    const records = recordsDigest(body, version)
    const same = records !== null && records.digest === unless
    const { envelope, meta } = open(endpoint, same ? records.rest : body.toString(), answer)
    const pagination = readPagination(envelope, inWords('GET', endpoint))
    const items = readItems(envelope, endpoint, one)
    const oddities = limitOddities(pageSize, pagination)
    return { items, ...pagination, oddities, meta, bytes: body.length, digest: records?.digest ?? null, same }
  }

  async function byId<T>(
    endpoint: Endpoint,
    one: Read<T>,
    id: number,
    idOf: (record: T) => number,
    signal?: AbortSignal,
  ): Promise<Lookup<T>> {
    if (!isIntegerId(id)) throw new SyncError('internal', `${endpoint.template} was asked for an id that is no integer`)
    const path = endpoint.template.replace('{id}', String(id))
    const answer = await ask({ endpoint, path, absentOn404: true, signal })
    if (answer.body === null) {
      const { requestId = null, timestamp } = answer.absent ?? {}
      const serverTime = parseIsoDate(timestamp)?.ms ?? null
      // The shape of errors is not shown, so one without id and time is nothing odd.
      const { oddities: _, ...meta } = metaOf(answer, { requestId, timestamp, serverTime, resource: null })
      return { item: null, meta }
    }
    const envelope = openEnvelope(answer.body.toString(), 200, answer.what)
    const meta = metaOf(answer, { ...envelope, resource: null })
    const item = one(singleData(envelope, endpoint), latestDate(envelope.serverTime))
    const got = item.ok ? idOf(item.record) : item.id
    if (got !== null && got !== id) {
      throw violation(inWords('GET', endpoint), 200, 'the record is not the one asked for', meta.requestId)
    }
    return { item, meta }
  }

  return {
    listUsers: (query, signal, unless) =>
      page(endpoints.listUsers, readUser, query, pageSizeOf('users', api), signal, unless),
    getUser: (userId, signal) => byId(endpoints.getUser, readUser, userId, (user) => user.userId, signal),
    listRoles: (signal) => list(endpoints.listRoles, readRole, signal),
    getRole: (roleId, signal) => byId(endpoints.getRole, readRole, roleId, (role) => role.roleId, signal),
    listPermissions: (signal) => list(endpoints.listPermissions, readPermission, signal),
    async getAuthenticationSettings(signal) {
      const endpoint = endpoints.getAuthenticationSettings
      const { envelope, meta } = await whole(endpoint, endpoint.template, signal)
      return { item: readAuthenticationSettings(singleData(envelope, endpoint)), meta }
    },
    listApiClients: (query, signal) => page(endpoints.listApiClients, readApiClient, query, null, signal),
    listDocuments: (query, signal, unless) =>
      page(endpoints.listDocuments, readDocument, query, pageSizeOf('documents', api), signal, unless),
  }
}

/** Compares the page size that the answer names with the one asked for (docs/api.md#pagination). */
function limitOddities(asked: PageSize | null, { limit }: Pagination): readonly Oddity[] {
  if (asked === null || limit === null || limit === asked.size) return []
  return [{ kind: 'limit_differs', field: 'pagination.limit' }]
}

/** Far above any honest answer that keeps to the caps on bodies, and few enough to be written in one transaction. */
const maxRecords = 100_000

function readItems<T>(
  { data, requestId, serverTime }: Envelope,
  endpoint: Endpoint,
  one: Read<T>,
): readonly Reading<T>[] {
  if (!Array.isArray(data)) {
    throw violation(inWords('GET', endpoint), 200, `data is ${kindOf(data)}, not an array`, requestId)
  }
  if (data.length > maxRecords) {
    const problem = `${inWords('GET', endpoint)} answered 200 with more than ${maxRecords} records`
    throw new SyncError('too_large', problem, { status: 200 })
  }
  const latest = latestDate(serverTime)
  return (data as readonly unknown[]).map((item) => one(item, latest))
}

function singleData({ data, requestId }: Envelope, endpoint: Endpoint): unknown {
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data
  throw violation(inWords('GET', endpoint), 200, `data is ${kindOf(data)}, not an object`, requestId)
}
