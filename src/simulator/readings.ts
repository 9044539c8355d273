/** Format of timestamps: milliseconds and `Z`, seven fraction digits and `Z`, no offset, or `+02:00`. */
export type TimestampStyle = 'z' | 'z7' | 'no-offset' | 'offset'

/** Format of `error`: an object with code and message, an array of these, a string, or a nested object. */
export type ErrorShape = 'object' | 'array' | 'string' | 'nested'

export type CursorKind = 'keyset' | 'offset'

export interface PerFeed<T> {
  readonly users: T
  readonly documents: T
  readonly apiClients: T
}

/**
 * A choice for everything the specification leaves open. The defaults are a plausible service; tests set fields to run a
 * client against other plausible services.
 */
export interface Readings {
  /** Name of the request header that carries the token ("Authentication" 1). */
  readonly tokenHeader: string
  /** Word before the token; empty = bare token. */
  readonly tokenScheme: string
  readonly pageSizeParameter: string | null
  readonly apiClientsPageSizeParameter: string | null
  readonly defaultPageSize: PerFeed<number>
  /** Greatest page size; that of documents is 200 in the specification ("Limits"). */
  readonly maxPageSize: PerFeed<number>
  readonly badPageSize: 'clamp' | 'reject'
  readonly errorShape: ErrorShape
  /** Whether error responses use the envelope; if not, the error value is the whole body. */
  readonly errorEnvelope: boolean
  readonly cursorKind: PerFeed<CursorKind>
  readonly cursorBoundToTenant: boolean
  readonly emptyCursorParameter: 'invalid' | 'absent'
  readonly lastPageCursor: PerFeed<boolean>
  /** Format of the missing next cursor on the last page. */
  readonly absentCursor: 'null' | 'empty' | 'missing'
  /** Whether `hasMore` is true on every full page, even on the last one. */
  readonly hasMoreWhenFull: boolean
  /** `updatedAt` moves a changed document to the end; with other orders, changes do not reappear. */
  readonly documentOrder: 'updatedAt' | 'createdAt' | 'fileId'
  /** Whether `updatedAfter` uses `createdAt` of a document with `updatedAt` null, or excludes it. */
  readonly updatedAfterNulls: 'createdAt' | 'exclude'
  readonly usersUpdatedAfter: 'ignored' | 'createdAt'
  /** Whether the order of roles and permissions changes with each call. */
  readonly unorderedLists: 'rotate' | 'stable'
  readonly assignInactiveRole: boolean
  readonly inactiveRoleState: string
  readonly requestIdCasing: 'lower' | 'upper'
  /** Casing of `clientId` and `fileId`; `alternate` changes it with every response. */
  readonly guidCasing: 'lower' | 'upper' | 'alternate'
  readonly timestamps: TimestampStyle
  /** Style of `meta.timestamp`, always UTC. */
  readonly metaTimestamps: Exclude<TimestampStyle, 'offset'>
  readonly headerCase: 'lower' | 'title' | 'upper'
  /** Whether records, envelope and pagination have fields that are not in the specification. */
  readonly unknownFields: boolean
  /** Whether tokens of a client expire with its secret. */
  readonly tokensEndWithSecret: boolean
}

export const defaultReadings: Readings = {
  tokenHeader: 'Authorization',
  tokenScheme: 'Bearer',
  pageSizeParameter: 'limit',
  apiClientsPageSizeParameter: null,
  defaultPageSize: { users: 50, documents: 50, apiClients: 20 },
  maxPageSize: { users: 200, documents: 200, apiClients: 100 },
  badPageSize: 'clamp',
  errorShape: 'object',
  errorEnvelope: true,
  cursorKind: { users: 'keyset', documents: 'keyset', apiClients: 'offset' },
  cursorBoundToTenant: true,
  emptyCursorParameter: 'invalid',
  lastPageCursor: { users: true, documents: true, apiClients: false },
  absentCursor: 'null',
  hasMoreWhenFull: false,
  documentOrder: 'updatedAt',
  updatedAfterNulls: 'createdAt',
  usersUpdatedAfter: 'ignored',
  unorderedLists: 'rotate',
  assignInactiveRole: false,
  inactiveRoleState: 'Inactive',
  requestIdCasing: 'lower',
  guidCasing: 'lower',
  timestamps: 'z',
  metaTimestamps: 'z',
  headerCase: 'lower',
  unknownFields: false,
  tokensEndWithSecret: true,
}

/** Partial readings; feeds of a per-feed field are optional too. */
export type ReadingsInput = {
  readonly [K in keyof Readings]?: Readings[K] extends PerFeed<infer T> ? Partial<PerFeed<T>> : Readings[K]
}

export function mergeReadings(base: Readings, input: ReadingsInput): Readings {
  return {
    ...base,
    ...input,
    defaultPageSize: { ...base.defaultPageSize, ...input.defaultPageSize },
    maxPageSize: { ...base.maxPageSize, ...input.maxPageSize },
    cursorKind: { ...base.cursorKind, ...input.cursorKind },
    lastPageCursor: { ...base.lastPageCursor, ...input.lastPageCursor },
  }
}
