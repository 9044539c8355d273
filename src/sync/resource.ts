import type { AnswerMeta, FeedQuery, Oddity, TenantReader } from '../api/reader.ts'
import type { TenantSettings } from '../config/settings.ts'
import type { Incoming } from '../mirror/port.ts'
import type { RecordReader } from '../mirror/records/query.ts'
import type { ContractEventKind } from '../model/contract-events.ts'
import type { Emptiness } from '../model/emptiness.ts'
import type { OverlapSetting } from '../model/resource.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'

/** An answer of any resource in one shape. */
export interface Fetched {
  readonly items: readonly Item[]
  /** Null at the end of the feed or where there is none. */
  readonly nextCursor: string | null
  readonly hasMore: boolean
  /** `pagination.limit`, where there is one. */
  readonly limit?: number | null
  /** Deviations of the answer itself. */
  readonly oddities?: readonly Oddity[]
  readonly meta: AnswerMeta
  /** Length of the whole answer, where it is one of several. */
  readonly bytes?: number
  /** Digest of the records as sent, where one can be had. */
  readonly digest?: string | null
  /** True when the records are those of the page that was named; `items` is empty then. */
  readonly same?: boolean
}

/** A record as the mirror takes it, with what was odd about it. */
export type Item = Incoming & { readonly oddities?: readonly Oddity[] }

export interface FetchedOne {
  readonly item: Item | null
  readonly meta: AnswerMeta
}

interface Common {
  readonly name: ResourceName
  /** One record and several in words, for messages. */
  readonly nouns: readonly [one: string, many: string]
  /** Permission code that the tenant asks for (specification: Permission codes that gate endpoints). */
  readonly permission: string
  /** Path templates that are asked for it. */
  readonly endpoints: readonly string[]
  /** Cron expressions when the configuration names none. */
  readonly schedule: Readonly<Partial<Record<SyncMode, string>>>
  /** Values of a well-read record that this version or configuration does not know; field names. */
  readonly unknownValues?: (record: object, settings: TenantSettings) => readonly string[]
  /** The field that names a record; its values are compared with what the mirror knows. Null: there is one object. */
  readonly idField: string | null
  /** How its records identify the tenant: by GUIDs that exist in one tenant only, or by persons who may be in several. */
  readonly identifiedBy?: 'guid' | 'person'
}

/** A feed with a stored cursor: incremental syncs continue it, full syncs full sync it from the beginning. */
export interface FeedResource extends Common {
  readonly kind: 'feed'
  /** `unless` is the digest of a page whose records need not be read again. */
  readonly fetch: (reader: TenantReader, query: FeedQuery, signal: AbortSignal, unless?: string) => Promise<Fetched>
  /**
   * How a refused cursor is made good: by a full sync alone, or by `updatedAfter`, less the overlap that this setting
   * says, and then a full sync.
   */
  readonly lostCursor: { readonly by: 'fullSync' } | { readonly by: 'updatedAfter'; readonly overlap: OverlapSetting }
  /** `confirm`: each missing record is asked for by id; `two-full-syncs`: absent from two complete full syncs in a row. */
  readonly removal: 'confirm' | 'two-full-syncs'
  /** Asks for one record by id; `item` is null when the tenant says it does not exist. */
  readonly fetchOne?: (reader: TenantReader, id: number, signal: AbortSignal) => Promise<FetchedOne>
  /** The resource and its text field that, where several records share a value, make what a look-up states ambiguous. */
  readonly ambiguousBy?: readonly [ResourceName, string]
  /** A field that has no value twice, letter case aside, and what it is counted as where it has. */
  readonly unique?: { readonly field: string; readonly event: ContractEventKind }
  /** The time the feed is ordered by, in milliseconds since the epoch, where the specification promises an order. */
  readonly orderOf?: (record: object) => number | null
}

/** A paginated list whose cursor is good within one full sync only, and whose emptiness proves nothing. */
export interface PagedListResource extends Common {
  readonly kind: 'pagedList'
  readonly fetch: (reader: TenantReader, query: { readonly cursor?: string }, signal: AbortSignal) => Promise<Fetched>
  /** True where the list always contains the client that asks, whose id is the setting `ownClientId`. */
  readonly containsSelf: boolean
}

/** An answer and what it is compared with. */
export interface Beside {
  readonly records: RecordReader
  readonly items: readonly Item[]
  readonly ownClientId: string | null
}

/** Why an answer looks incomplete. */
export interface Contradiction {
  readonly emptiness: Emptiness
  /** One sentence for the operator. */
  readonly message: string
  /** How many records are in question; absent = all live ones. */
  readonly count?: number
}

/** A list or object that one answer holds whole. */
export interface WholeResource extends Common {
  readonly kind: 'whole'
  readonly fetch: (reader: TenantReader, signal: AbortSignal) => Promise<Fetched>
  /** Tells why an answer looks incomplete beside the rest of the mirror, or null when it does not. */
  readonly contradiction?: (beside: Beside) => Promise<Contradiction | null>
}

/** One remote thing that is mirrored. The engine knows no resource by name. */
export type ResourceDefinition = FeedResource | PagedListResource | WholeResource
