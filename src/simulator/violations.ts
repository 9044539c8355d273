import type { Readings } from './readings.ts'
import type { Endpoint } from './resources/endpoint.ts'
import type { RequestRecord } from './server/request-log.ts'

export type ViolationKind =
  /** `cursor` and `updatedAfter` in one request ("Exclusivity"). */
  | 'cursor-with-updated-after'
  /** A cursor of API clients from an earlier pass, which may silently restart the list. */
  | 'foreign-api-clients-cursor'
  /** A page size above the maximum ("Limits"). */
  | 'page-size-over-maximum'
  | 'unknown-parameter'
  | 'unknown-path'
  | 'unknown-method'

export interface Violation {
  readonly kind: ViolationKind
  readonly seq: number
  readonly method: string
  readonly path: string
  readonly detail: string
}

export interface Auditor {
  readonly violations: readonly Violation[]
  /** @param endpoint null when the path has no such method. */
  inspect(request: RequestRecord, readings: Readings, endpoint: Endpoint | null): void
  issued(request: RequestRecord, nextCursor: unknown): void
  clear(): void
}

const clientsPath = '/api/public/api-clients'
const greatestDocumentsPage = 200

/** Most overlapping passes over a list: a client may read the first page again to identify the tenant. */
const mostPasses = 16

/** Makes the auditor of requests; keeps the latest 1,000 violations. */
export function createAuditor(): Auditor {
  const violations: Violation[] = []
  /** Cursors of the latest passes over the API clients by token, newest pass last. */
  const passes = new Map<string, Set<unknown>[]>()

  function note({ seq, method, path }: RequestRecord, kind: ViolationKind, detail: string): void {
    violations.push({ kind, seq, method, path, detail })
    if (violations.length > 1000) violations.shift()
  }

  function checkQuery(request: RequestRecord, { template, parameters }: Endpoint, readings: Readings): void {
    const { query, cursor, token } = request
    if (cursor !== null && query['updatedAfter'] !== undefined) {
      note(request, 'cursor-with-updated-after', 'cursor and updatedAfter must not be sent together')
    }
    if (request.method === 'GET') {
      const known = parameters?.(readings) ?? []
      for (const name of Object.keys(query)) {
        if (!known.includes(name)) note(request, 'unknown-parameter', name)
      }
    }
    const size = Number(query[readings.pageSizeParameter ?? ''] ?? 0)
    if (template === '/api/public/documents' && size > greatestDocumentsPage) {
      note(request, 'page-size-over-maximum', `${size} is over ${greatestDocumentsPage}`)
    }
    if (template !== clientsPath) return
    const issued = passes.get(`${token}`) ?? []
    if (cursor === null) passes.set(`${token}`, [...issued.slice(1 - mostPasses), new Set()])
    else if (!issued.some((pass) => pass.has(cursor))) {
      note(request, 'foreign-api-clients-cursor', `the cursor was not issued in the latest ${mostPasses} passes`)
    }
  }

  return {
    violations,
    inspect(request, readings, endpoint) {
      if (request.endpoint === null) note(request, 'unknown-path', request.path)
      else if (endpoint === null) note(request, 'unknown-method', request.method)
      else checkQuery(request, endpoint, readings)
    },
    issued(request, nextCursor) {
      if (request.endpoint === clientsPath && nextCursor) passes.get(`${request.token}`)?.at(-1)?.add(nextCursor)
    },
    clear() {
      violations.length = 0
      passes.clear()
    },
  }
}
