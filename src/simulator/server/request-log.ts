import type { TokenName } from '../seed/tokens.ts'
import type { TenantName } from '../truth.ts'

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

export interface RequestLog {
  all(): readonly RequestRecord[]
  filter(matches: RequestPredicate): RequestRecord[]
  nonGet(): RequestRecord[]
  /** Number of requests since the start (or `clear`) by `METHOD endpoint status`. */
  counters(): Readonly<Record<string, number>>
  count(): number
  /** Resolves with the first matching request, past or future; tested on arrival and when done. */
  waitFor(matches: RequestPredicate): Promise<RequestRecord>
  clear(): void
}

export interface WritableRequestLog extends RequestLog {
  begin(fields: Omit<RequestRecord, 'seq' | 'page' | 'status' | 'done' | 'faults'>): RequestRecord
  finish(request: RequestRecord, status: number | null): void
}

export function createRequestLog(size: number): WritableRequestLog {
  let kept: RequestRecord[] = []
  let seq = 0
  let total = 0
  const counts = new Map<string, number>()
  const passes = new Map<string, { page: number; cursor: string | null }>()
  const waiting = new Set<{ matches: RequestPredicate; resolve: (request: RequestRecord) => void }>()

  function notify(request: RequestRecord): void {
    for (const waiter of waiting) {
      if (!waiter.matches(request)) continue
      waiting.delete(waiter)
      waiter.resolve(request)
    }
  }

  function pageOf(token: string | null, endpoint: string | null, cursor: string | null): number {
    const key = `${token} ${endpoint}`
    const pass = passes.get(key)
    if (pass !== undefined && cursor !== null && pass.cursor === cursor) return pass.page
    const page = cursor === null ? 1 : (pass?.page ?? 1) + 1
    passes.set(key, { page, cursor })
    return page
  }

  const log: WritableRequestLog = {
    all: () => kept.slice(-size),
    filter: (matches) => log.all().filter(matches),
    nonGet: () => log.filter(({ method }) => method !== 'GET'),
    counters: () => Object.fromEntries(counts),
    count: () => total,
    waitFor(matches) {
      const found = log.all().find(matches)
      if (found !== undefined) return Promise.resolve(found)
      return new Promise((resolve) => waiting.add({ matches, resolve }))
    },
    clear() {
      kept = []
      total = 0
      counts.clear()
    },
    begin(fields) {
      const page = pageOf(fields.token, fields.endpoint, fields.cursor)
      const request: RequestRecord = { seq: ++seq, ...fields, page, status: null, done: false, faults: [] }
      total++
      kept.push(request)
      if (kept.length > size * 2) kept = kept.slice(-size)
      notify(request)
      return request
    },
    finish(request, status) {
      request.status = status
      request.done = true
      const key = `${request.method} ${request.endpoint ?? 'unknown'} ${status ?? 'unanswered'}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
      notify(request)
    },
  }
  return log
}
