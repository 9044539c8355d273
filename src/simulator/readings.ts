/** How timestamps are written: milliseconds and `Z`, seven fraction digits and `Z`, no offset at all, or `+02:00`. */
export type TimestampStyle = 'z' | 'z7' | 'no-offset' | 'offset'

/** What stands in `error`: an object with code and message, an array of such, one string, or an object one level down. */
export type ErrorShape = 'object' | 'array' | 'string' | 'nested'

export type CursorKind = 'keyset' | 'offset'

/** A choice for each of the three paginated endpoints. */
export interface PerFeed<T> {
  readonly users: T
  readonly documents: T
  readonly apiClients: T
}

/**
 * One reading of everything the specification leaves open. The defaults are a plain, plausible service; every field
 * can be turned so that a client is proven against the other plausible services too.
 */
export interface Readings {
  /** Name of the request header that carries the token ("Authentication" 1). */
  readonly tokenHeader: string
  /** Word before the token; the empty string expects the bare token. */
  readonly tokenScheme: string
  /** Name of the page size parameter of users and documents; null: there is none. */
  readonly pageSizeParameter: string | null
  /** Name of the page size parameter of API clients; null: there is none. */
  readonly apiClientsPageSizeParameter: string | null
  readonly defaultPageSize: PerFeed<number>
  /** Greatest page size; that of documents is 200 in the specification ("Limits"). */
  readonly maxPageSize: PerFeed<number>
  /** A page size that is no positive integer or too great is brought into range or refused with 400. */
  readonly badPageSize: 'clamp' | 'reject'
  readonly errorShape: ErrorShape
  /** Whether error responses use the envelope; if not, the error value is the whole body. */
  readonly errorEnvelope: boolean
  readonly cursorKind: PerFeed<CursorKind>
  /** Whether a cursor is refused when the token's tenant is another than the one it was issued to. */
  readonly cursorBoundToTenant: boolean
  /** `cursor=` without a value: an invalid cursor, or as if not sent. */
  readonly emptyCursorParameter: 'invalid' | 'absent'
  /** Whether the last page carries a non-null `nextCursor`. */
  readonly lastPageCursor: PerFeed<boolean>
  /** How the absence of a next cursor is written on the last page. */
  readonly absentCursor: 'null' | 'empty' | 'missing'
  /** `hasMore` is true on every full page, also when nothing follows. */
  readonly hasMoreWhenFull: boolean
  /** `updatedAt`: a changed document shows again at the end; otherwise changes do not show again. */
  readonly documentOrder: 'updatedAt' | 'createdAt' | 'fileId'
  /** Whether a document with `updatedAt` null counts by its `createdAt` under `updatedAfter`, or never matches. */
  readonly updatedAfterNulls: 'createdAt' | 'exclude'
  /** What `updatedAfter` does on the users list. */
  readonly usersUpdatedAfter: 'ignored' | 'createdAt'
  /** Roles and permissions come in another order on each call, or always in the same. */
  readonly unorderedLists: 'rotate' | 'stable'
  /** Whether a user can be created with an inactive role. */
  readonly assignInactiveRole: boolean
  /** The word for the state of roles that are not `Active`. */
  readonly inactiveRoleState: string
  readonly requestIdCasing: 'lower' | 'upper'
  /** Casing of `clientId` and `fileId`; `alternate` changes it with every response. */
  readonly guidCasing: 'lower' | 'upper' | 'alternate'
  /** Style of the timestamps inside records. */
  readonly timestamps: TimestampStyle
  /** Style of `meta.timestamp`, which is UTC in every style. */
  readonly metaTimestamps: Exclude<TimestampStyle, 'offset'>
  readonly headerCase: 'lower' | 'title' | 'upper'
  /** Records, envelope and pagination carry fields the specification does not name. */
  readonly unknownFields: boolean
  /** Whether the tokens of a client end with its secret. */
  readonly tokensEndWithSecret: boolean
}

/** The readings of a simulator that was told nothing. */
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

/** Readings as a caller gives them: every field optional, and each feed of a per-feed field on its own. */
export type ReadingsInput = {
  readonly [K in keyof Readings]?: Readings[K] extends PerFeed<infer T> ? Partial<PerFeed<T>> : Readings[K]
}

/** Lays the given fields over a base; a per-feed field keeps the feeds that are not named. */
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
