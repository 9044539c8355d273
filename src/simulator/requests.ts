import type { Endpoint } from './endpoints.ts'
import type { Readings } from './readings.ts'
import type { TenantName, TokenName } from './seed-access.ts'

/** A logged request, without the token value. */
export interface RequestRecord {
  readonly seq: number
  /** Epoch milliseconds of arrival. */
  readonly time: number
  readonly method: string
  readonly path: string
  /** Path template with `{id}`; null for unknown paths. */
  readonly endpoint: string | null
  readonly query: Readonly<Record<string, string>>
  /** Headers without the token header. */
  readonly headers: Readonly<Record<string, string>>
  readonly token: TokenName | null
  readonly tenant: TenantName | null
  readonly cursor: string | null
  /** Page number for this token and endpoint, from 1; a repeated cursor is the same page. */
  readonly page: number
  /** Status sent; null without a complete answer. */
  status: number | null
  done: boolean
  readonly faults: string[]
}

export type RequestPredicate = (request: RequestRecord) => boolean
type Arrival = Omit<RequestRecord, 'seq' | 'page' | 'status' | 'done' | 'faults'>

/** The latest requests. */
export class RequestLog {
  readonly #size: number
  #kept: RequestRecord[] = []
  #seq = 0
  #count = 0
  readonly #passes = new Map<string, { readonly page: number; readonly cursor: string | null }>()
  readonly #waiting = new Map<RequestPredicate, (request: RequestRecord) => void>()

  constructor(size: number) {
    this.#size = size
  }

  all(): readonly RequestRecord[] {
    return this.#kept.slice(-this.#size)
  }

  filter(matches: RequestPredicate): RequestRecord[] {
    return this.all().filter(matches)
  }

  /** Number of requests since the start or `clear`. */
  count(): number {
    return this.#count
  }

  clear(): void {
    this.#kept = []
    this.#count = 0
  }

  /** Resolves with the first matching request, past or future; tested on arrival and when done. */
  waitFor(matches: RequestPredicate): Promise<RequestRecord> {
    const found = this.all().find(matches)
    if (found !== undefined) return Promise.resolve(found)
    // A predicate may be waited for twice.
    return new Promise((resolve) => this.#waiting.set((request) => matches(request), resolve))
  }

  begin(arrival: Arrival): RequestRecord {
    const request = { seq: ++this.#seq, ...arrival, page: this.#pageOf(arrival), status: null, done: false, faults: [] }
    this.#count++
    this.#kept.push(request)
    if (this.#kept.length > this.#size * 2) this.#kept = this.#kept.slice(-this.#size)
    this.#notify(request)
    return request
  }

  finish(request: RequestRecord, status: number | null): void {
    request.status = status
    request.done = true
    this.#notify(request)
  }

  #pageOf({ token, endpoint, cursor }: Arrival): number {
    const key = `${token} ${endpoint}`
    const pass = this.#passes.get(key)
    if (pass !== undefined && cursor !== null && pass.cursor === cursor) return pass.page
    const page = cursor === null ? 1 : (pass?.page ?? 1) + 1
    this.#passes.set(key, { page, cursor })
    return page
  }

  #notify(request: RequestRecord): void {
    for (const [matches, resolve] of this.#waiting) {
      if (!matches(request)) continue
      this.#waiting.delete(matches)
      resolve(request)
    }
  }
}

export interface Violation {
  readonly kind: string
  readonly seq: number
  readonly method: string
  readonly path: string
  readonly detail: string
}

const greatestDocumentsPage = 200

/** What the specification does not allow in a request; `endpoint` is null when the path has no such method. */
export function violationsIn(request: RequestRecord, readings: Readings, endpoint: Endpoint | null): Violation[] {
  const { seq, method, path, endpoint: template, query, cursor } = request
  const violations: Violation[] = []
  const note = (kind: string, detail: string) => violations.push({ kind, seq, method, path, detail })
  if (template === null) note('unknown-path', path)
  else if (endpoint === null) note('unknown-method', method)
  if (endpoint === null) return violations
  if (cursor !== null && query['updatedAfter'] !== undefined)
    note('cursor-with-updated-after', 'cursor and updatedAfter must not be sent together')
  const known = endpoint.parameters(readings)
  for (const name of Object.keys(query)) if (!known.includes(name)) note('unknown-parameter', name)
  const size = Number(query[readings.pageSizeParameter ?? ''] ?? 0)
  if (template === '/api/public/documents' && size > greatestDocumentsPage)
    note('page-size-over-maximum', `${size} is over ${greatestDocumentsPage}`)
  return violations
}
