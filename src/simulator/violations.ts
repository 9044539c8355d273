import type { Readings } from './readings.ts'
import type { RequestRecord } from './server/request-log.ts'

export type ViolationKind =
  /** `cursor` and `updatedAfter` in one request ("Exclusivity"). */
  | 'cursor-with-updated-after'
  /** An API clients cursor that was not issued in the full sync the token is in: it may silently restart the list. */
  | 'foreign-api-clients-cursor'
  /** A page size above the maximum ("Limits"). */
  | 'page-size-over-maximum'
  /** A query parameter the endpoint does not have. */
  | 'unknown-parameter'
  | 'unknown-path'
  | 'unknown-method'

/** Something a caller did that the specification does not allow, or does not describe. */
export interface Violation {
  readonly kind: ViolationKind
  readonly seq: number
  readonly method: string
  readonly path: string
  readonly detail: string
}

export interface Auditor {
  readonly violations: readonly Violation[]
  /** Evaluates a request on arrival. */
  evaluator(request: RequestRecord, readings: Readings, methodAllowed: boolean): void
  /** Notes the cursor an answer carried. */
  issued(request: RequestRecord, nextCursor: unknown): void
  clear(): void
}

const clientsPath = '/api/public/api-clients'
const greatestDocumentsPage = 200

function knownParameters(endpoint: string, readings: Readings): readonly (string | null)[] {
  switch (endpoint) {
    case '/api/public/users':
    case '/api/public/documents':
      return ['cursor', 'updatedAfter', readings.pageSizeParameter]
    case clientsPath:
      return ['cursor', readings.apiClientsPageSizeParameter]
    default:
      return []
  }
}

/** A caller may look at the first page, as to recognize the tenant, while it reads the list; so many passes may overlap. */
const mostPasses = 16

/** Makes the evaluate of a simulator's callers; it keeps the latest 1,000 violations. */
export function createAuditor(): Auditor {
  const violations: Violation[] = []
  /** Cursors issued in the latest passes over the API clients of each token, the newest pass last. */
  const passes = new Map<string, Set<unknown>[]>()

  function note({ seq, method, path }: RequestRecord, kind: ViolationKind, detail: string): void {
    violations.push({ kind, seq, method, path, detail })
    if (violations.length > 1000) violations.shift()
  }

  function checkQuery(request: RequestRecord, endpoint: string, readings: Readings): void {
    const { query, cursor, token } = request
    if (cursor !== null && query['updatedAfter'] !== undefined) {
      note(request, 'cursor-with-updated-after', 'cursor and updatedAfter must not be sent together')
    }
    if (request.method === 'GET') {
      const known = knownParameters(endpoint, readings)
      for (const name of Object.keys(query)) {
        if (!known.includes(name)) note(request, 'unknown-parameter', name)
      }
    }
    const size = Number(query[readings.pageSizeParameter ?? ''] ?? 0)
    if (endpoint === '/api/public/documents' && size > greatestDocumentsPage) {
      note(request, 'page-size-over-maximum', `${size} is over ${greatestDocumentsPage}`)
    }
    if (endpoint !== clientsPath) return
    const issued = passes.get(`${token}`) ?? []
    if (cursor === null) passes.set(`${token}`, [...issued.slice(1 - mostPasses), new Set()])
    else if (!issued.some((pass) => pass.has(cursor))) {
      note(request, 'foreign-api-clients-cursor', `the cursor was not issued in the latest ${mostPasses} passes`)
    }
  }

  return {
    violations,
    evaluator(request, readings, methodAllowed) {
      const { endpoint } = request
      if (endpoint === null) note(request, 'unknown-path', request.path)
      else if (!methodAllowed) note(request, 'unknown-method', request.method)
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
