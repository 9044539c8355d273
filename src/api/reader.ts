import type { ContractEventKind } from '../model/contract-events.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import type { ServerTimes } from '../model/server-clock.ts'
import type { ApiClient, AuthenticationSettings, Document, NewUser, Permission, Role, User } from './records.ts'

/** A deviation from the known contract that spoils nothing: it is counted, once a field and run. */
export interface Oddity {
  readonly kind: ContractEventKind
  readonly field: string
}

/**
 * One record as read from the wire. What cannot be trusted is not dropped: it is carried raw, with the reason, so that
 * the caller can quarantine it. `id` is null when not even the identifier can be read.
 */
export type Reading<T> =
  | {
      readonly ok: true
      readonly record: T
      /** Fields the specification does not name, kept as sent. */
      readonly extra: Readonly<Record<string, unknown>> | null
      readonly oddities: readonly Oddity[]
    }
  | { readonly ok: false; readonly id: string | number | null; readonly raw: unknown; readonly problem: string }

/** What every answer tells about itself (docs/api.md#envelope). */
export interface AnswerMeta {
  readonly requestId: string | null
  /** `meta.timestamp`, the server's clock, in milliseconds since the epoch; null when it is no date. */
  readonly serverTime: number | null
  /** When the answer was complete here, in milliseconds since the epoch. */
  readonly receivedAt: number
  /** The same moment on the monotonic clock, in milliseconds, which no setting of the wall clock moves. */
  readonly receivedMonotonic: number
  /**
   * Number of the identity the answer was read under. It grows when the credential changed (other than by a renewal of
   * the same OAuth client) and when an endpoint that answered 401 or 403 answers again; the data may be another tenant's.
   */
  readonly identity: number
  /** What is odd about the id and the time of the answer; absent = nothing. */
  readonly oddities?: readonly Oddity[]
}

/** A page of a paginated list (docs/api.md#pagination). */
export interface Page<T> {
  readonly items: readonly Reading<T>[]
  /** `pagination.limit`, null where the endpoint has none. */
  readonly limit: number | null
  /** Null when absent, null or empty. */
  readonly nextCursor: string | null
  readonly hasMore: boolean
  /** Deviations of the page itself. */
  readonly oddities: readonly Oddity[]
  readonly meta: AnswerMeta
  /** Length of the whole answer, decoded. */
  readonly bytes: number
  /** Digest of the records as sent; null where it cannot be had. */
  readonly digest: string | null
  /** True when the digest is the one that was named: `items` was not read and is empty. */
  readonly same: boolean
}

/** The whole of an unpaginated list. */
export interface Listing<T> {
  readonly items: readonly Reading<T>[]
  readonly meta: AnswerMeta
}

/** A single resource. */
export interface Single<T> {
  readonly item: Reading<T>
  readonly meta: AnswerMeta
}

/** The answer to a look-up by id; `item` is null on 404: it does not exist or belongs to another tenant. */
export interface Lookup<T> {
  readonly item: Reading<T> | null
  readonly meta: AnswerMeta
}

/** `cursor` and `updatedAfter` must never be sent together (docs/api.md#cursors). */
export type FeedQuery =
  | { readonly cursor?: string; readonly updatedAfter?: never }
  | { readonly updatedAfter: string; readonly cursor?: never }

/** A record of any resource. */
export type Item = Reading<object>

type OfEveryAnswer = 'items' | 'nextCursor' | 'hasMore' | 'meta'

/** An answer of any resource in one shape; the rest is of pages alone. */
export type Fetched = Pick<Page<object>, OfEveryAnswer> & Partial<Omit<Page<object>, OfEveryAnswer>>

/** The reading half of the tenant's API; every method throws a SyncError with a reason of the closed list. */
export interface TenantReader {
  /**
   * One page of a paginated list, else the whole of it.
   *
   * @param unless digest of a page whose records need not be read again.
   */
  fetch(resource: ResourceDefinition, query: FeedQuery, signal?: AbortSignal, unless?: string): Promise<Fetched>
  /** One record of a resource that is looked up by id. */
  fetchOne(resource: ResourceDefinition, id: number, signal?: AbortSignal): Promise<Lookup<object>>
  /** @param unless digest of a page whose records need not be read again. */
  listUsers(query: FeedQuery, signal?: AbortSignal, unless?: string): Promise<Page<User>>
  getUser(userId: number, signal?: AbortSignal): Promise<Lookup<User>>
  listRoles(signal?: AbortSignal): Promise<Listing<Role>>
  getRole(roleId: number, signal?: AbortSignal): Promise<Lookup<Role>>
  listPermissions(signal?: AbortSignal): Promise<Listing<Permission>>
  getAuthenticationSettings(signal?: AbortSignal): Promise<Single<AuthenticationSettings>>
  listApiClients(query: { readonly cursor?: string }, signal?: AbortSignal): Promise<Page<ApiClient>>
  /** @param unless digest of a page whose records need not be read again. */
  listDocuments(query: FeedQuery, signal?: AbortSignal, unless?: string): Promise<Page<Document>>
}

/** The outcome of create-user; it is never retried, so a lost answer is its own outcome. */
export type CreateUserOutcome =
  | { readonly outcome: 'created'; readonly user: User }
  /** 409: a user with this e-mail exists, possibly by an earlier attempt whose answer was lost. */
  | { readonly outcome: 'already_created' }

export interface TenantWriter {
  /** POST /api/public/users, sent once. Throws SyncError; on a lost answer the user may have been created. */
  createUser(user: NewUser, signal?: AbortSignal): Promise<CreateUserOutcome>
}

/** What the client tells of its traffic, for metrics. */
export interface TenantObserver {
  /** `endpoint` is the path template; `status` an HTTP code or a reason; duration in seconds. */
  request(endpoint: string, status: string, durationSeconds: number): void
  retry(reason: string): void
}

/** A client of one tenant: the daemon is handed it as a TenantReader with its life. */
export interface TenantClient extends TenantReader, TenantWriter, AsyncDisposable {
  /** The reading half only: an object without any way to write. */
  readonly reader: TenantReader
  /** Nothing is sent before this wall time (milliseconds since the epoch); 0 when nothing holds it back. */
  readonly blockedUntil: number
  /** The server time of the tenant, as its answers in this process show it. */
  readonly answerTimes: ServerTimes
  /** For how long the token that was fetched last is used before it is fetched again, in milliseconds; null where none was. */
  readonly tokenGoodForMs: number | null
}
