import { SyncError } from '../../model/errors.ts'
import { isGuid } from '../../model/guid.ts'
import type { Oddity } from '../../model/reading.ts'
import { isObject, kindOf, parseJson } from '../../model/text/json.ts'
import { parseIsoDate } from '../../model/time.ts'
import { storableName } from '../decode/withheld.ts'

export interface Envelope {
  /** Null only if the server sent null. */
  readonly data: unknown
  readonly pagination: unknown
  readonly requestId: string | null
  /** In milliseconds since the epoch; null when unreadable. */
  readonly serverTime: number | null
  /** `meta.timestamp` as sent; undefined when absent. */
  readonly timestamp: unknown
  /** Unspecified and missing members, by name only. */
  readonly oddities: readonly Oddity[]
}

/** Opens an envelope (docs/internals/api.md#envelope); throws SyncError `protocol` or, for unsafe JSON, `too_large`. */
export function openEnvelope(text: string, what: string): Envelope {
  if (mayExceed(text, maxValues)) {
    throw new SyncError('too_large', `${what} answered 200 with more than ${maxValues} values`, { status: 200 })
  }
  const broken = (problem: string, sent: string | null = null) => violation(what, problem, sent)
  const body = parseJson(text)
  if (body === undefined) {
    const hint = 'Check baseUrl, if this stays: a web page or another API may answer there'
    throw new SyncError('protocol', `${what} answered 200, but the body is not JSON`, { status: 200, hint })
  }
  if (!isObject(body)) throw broken(`the body is ${kindOf(body)}, not an envelope`)
  const { data, error, meta, pagination } = body
  const requestId = isObject(meta) ? asRequestId(meta['requestId']) : null
  if ((error ?? null) !== null) throw broken('the envelope carries an error beside a success status', requestId)
  if (data === undefined) throw broken('the envelope has no data', requestId)
  if (!isObject(meta)) throw broken(`meta of the envelope is ${kindOf(meta)}, not an object`)
  const timestamp = meta['timestamp']
  const serverTime = parseIsoDate(timestamp)?.ms ?? null
  return { data, pagination, requestId, serverTime, timestamp, oddities: envelopeOddities(body, meta, pagination) }
}

/** Small values take many times the memory of their text. Some 330,000 granted permissions reach this limit. */
const maxValues = 2_000_000

/** Counts signs before which a value stands, also within texts. */
function mayExceed(text: string, most: number): boolean {
  let values = 0
  for (let at = 0; at < text.length && text.length > most; at++) {
    const sign = text[at]
    if ((sign === ',' || sign === '[' || sign === '{') && ++values > most) return true
  }
  return false
}

const named = {
  envelope: new Set(['data', 'error', 'meta', 'pagination']),
  meta: new Set(['requestId', 'timestamp']),
  pagination: new Set(['hasMore', 'limit', 'nextCursor']),
}
const maxOddities = 20

/** Reports members such as `errors`, `meta.warnings` and `pagination.total`, which may mean a partial answer. */
function envelopeOddities(body: object, meta: object, pagination: unknown): readonly Oddity[] {
  const unknown = [
    ...unnamed(body, named.envelope),
    ...unnamed(meta, named.meta, 'meta.'),
    ...unnamed(isObject(pagination) ? pagination : {}, named.pagination, 'pagination.'),
  ]
  const oddities: Oddity[] = []
  if (!Object.hasOwn(body, 'error')) oddities.push({ kind: 'unknown_value', field: 'error', detail: 'missing' })
  for (const field of unknown.slice(0, maxOddities)) oddities.push({ kind: 'unknown_field', field })
  return oddities
}

function unnamed(part: object, known: ReadonlySet<string>, prefix = ''): readonly string[] {
  const names = Object.keys(part).filter((name) => !known.has(name))
  return names.map((name) => `${prefix}${storableName(name).toWellFormed()}`)
}

/** A violation of the API contract. Contains a request id only if that is a GUID. */
export function violation(what: string, problem: string, sent: string | null = null): SyncError {
  const requestId = asGuid(sent) ?? undefined
  return new SyncError('protocol', `${what} answered 200, but ${problem}`, { status: 200, requestId })
}

export interface ErrorFacts {
  readonly code: string | null
  readonly requestId: string | null
  readonly timestamp: unknown
  /** True for an envelope with an `error` and no data, as the API's own errors are. */
  readonly enveloped: boolean
}

const maxNodes = 200
/** Alone or at the start of a text such as `NOT_FOUND: User not found`. */
const codeLike = /^([A-Z][A-Z_]{2,39})(?=$|: )/

function asGuid(value: unknown): string | null {
  return typeof value === 'string' && isGuid(value) ? value : null
}

const longestId = 200

/** The request id of a success; withheld when it is longer than 200 characters or may be a token or an e-mail address. */
export function asRequestId(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value)
  if (isGuid(text)) return text
  if (text.length > longestId || /eyJ[\w-]+\.|@/.test(text)) return `[withheld: string of ${text.length} characters]`
  const kept = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim()
  return kept === '' ? null : kept
}

export function readErrorFacts(bytes: Buffer | null): ErrorFacts {
  const body = bytes === null ? undefined : parseJson(bytes.toString())
  // Proxies and frameworks may send an `error` too, but no `meta`.
  const enveloped =
    isObject(body) &&
    (body['error'] ?? null) !== null &&
    isObject(body['meta']) &&
    Object.keys(Object(body['data'])).length === 0
  const meta = isObject(body) ? body['meta'] : undefined
  let code = codeIn(body)
  let requestId: string | null = null
  const queue: unknown[] = [body]
  for (let index = 0; index < queue.length && index < maxNodes; index++) {
    for (const [key, value] of Object.entries(Object(queue[index])).slice(0, maxNodes)) {
      if (typeof value === 'object') queue.push(value)
      else if (key === 'code' || key === 'error') code ??= codeIn(value)
      else if (key === 'requestId') requestId ??= asGuid(value)
    }
  }
  return { code, requestId, timestamp: isObject(meta) ? meta['timestamp'] : undefined, enveloped }
}

function codeIn(text: unknown): string | null {
  return typeof text === 'string' ? (codeLike.exec(text)?.[1] ?? null) : null
}

export interface Pagination {
  readonly limit: number | null
  readonly nextCursor: string | null
  readonly hasMore: boolean
}

const maxCursor = 8192

/** The full sync evaluates whether cursor and `hasMore` are consistent (docs/internals/api.md#pagination). */
export function readPagination({ pagination, requestId }: Envelope, what: string): Pagination {
  const broken = (problem: string) => violation(what, problem, requestId)
  if (!isObject(pagination)) throw broken(`pagination is ${kindOf(pagination)}, not an object`)
  const { limit, nextCursor = null, hasMore } = pagination
  if (typeof hasMore !== 'boolean') throw broken(`pagination.hasMore is ${kindOf(hasMore)}, not a boolean`)
  if (nextCursor !== null && typeof nextCursor !== 'string') {
    throw broken(`pagination.nextCursor is ${kindOf(nextCursor)}, not a string`)
  }
  if (nextCursor !== null && nextCursor.length > maxCursor) {
    throw broken(`pagination.nextCursor is longer than ${maxCursor} characters`)
  }
  return {
    limit: Number.isSafeInteger(limit) ? (limit as number) : null,
    nextCursor: nextCursor === null || nextCursor === '' ? null : nextCursor.toWellFormed(),
    hasMore,
  }
}

/** Refuses a partial answer of an unpaginated list: missing records would count as removed (docs/internals/api.md#pagination). */
export function assertWhole({ pagination, requestId }: Envelope, what: string): void {
  const values = isObject(pagination) ? Object.values(pagination) : [pagination]
  if (isObject(pagination) && pagination['hasMore'] === false) return
  if (values.every((value) => value == null)) return
  const problem = 'pagination is not null, and its hasMore not false, where the whole list is due'
  throw violation(what, problem, requestId)
}
