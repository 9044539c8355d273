import type { Fields, RecordOf } from '../model/fields.ts'
import type { AnyRecord, Oddity, Reading } from '../model/reading.ts'
import type { ResourceDefinition } from '../model/resource.ts'

export type * from '../model/reading.ts'

export interface AnswerMeta {
  readonly requestId: string | null
  readonly serverTime: number | null
  readonly receivedAt: number
  readonly receivedMonotonic: number
  /**
   * Grows when the credential changes (other than by a renewal of the same OAuth client) or a refusal ends: the data
   * may then be another tenant's.
   */
  readonly identity: number
  /** Digest of the credential, or of the name of its OAuth client; an operator's acceptance is valid for one digest. */
  readonly credential: string
  /** Deviations of the envelope. */
  readonly oddities: readonly Oddity[]
}

/** The answer to a look-up; `item` is null on 404 or 410: the record does not exist or belongs to another tenant. */
export interface Lookup<T> {
  readonly item: Reading<T> | null
  readonly meta: AnswerMeta
}

/** Never send `cursor` and `updatedAfter` together (docs/internals/api.md#cursors). */
export type FeedQuery =
  | { readonly cursor?: string; readonly updatedAfter?: never }
  | { readonly updatedAfter: string; readonly cursor?: never }

/** An answer of any resource; `limit` belongs to pages. */
export interface Fetched<T = AnyRecord> {
  readonly items: readonly Reading<T>[]
  /** Null when absent, null or empty. */
  readonly nextCursor: string | null
  readonly hasMore: boolean
  readonly meta: AnswerMeta
  readonly limit?: number | null
}

export type Described<F extends Fields> = ResourceDefinition & { readonly fields: F }

/** Reads every endpoint of the API by the descriptors in `src/resources/`; records have the types of their fields. */
export interface TenantReader {
  /** Reads a page or an unpaginated list. */
  fetch<F extends Fields>(resource: Described<F>, query: FeedQuery, signal?: AbortSignal): Promise<Fetched<RecordOf<F>>>
  /** Of resources with a look-up. */
  fetchOne<F extends Fields>(resource: Described<F>, id: number, signal?: AbortSignal): Promise<Lookup<RecordOf<F>>>
}

export interface TenantObserver {
  request(endpoint: string, status: string, durationSeconds: number): void
  /** Called once for each failed request, with its HTTP status, or with the reason if there was no usable answer. */
  failed(status: string): void
  retry(reason: string): void
}
