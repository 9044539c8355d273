import { type Fields, idFieldOf, type KnownSetting } from './fields.ts'
import type { ContractEventKind } from './reading.ts'
import type { ResourceName, SyncMode } from './resource-names.ts'

export type Gauge<Name extends string = string> =
  | {
      readonly kind: 'count'
      readonly name: string
      readonly help: string
      /** Labels by field: `true` for a flag; else values with their own series, besides `other` and `none`. */
      readonly by: Readonly<Partial<Record<Name, true | readonly string[] | KnownSetting>>>
    }
  | { readonly kind: 'flag'; readonly name: string; readonly help: string; readonly field: Name }

interface Common<Name extends string> {
  readonly name: ResourceName
  readonly nouns: readonly [one: string, many: string]
  /** Name of the view; absent = the resource's name. */
  readonly view?: string
  readonly path: string
  readonly permission: string
  /** Rank among the endpoints that are probed when a token is refused, the cheapest first. */
  readonly probe: number
  readonly schedule: Readonly<Partial<Record<SyncMode, string>>>
  /** Resources whose records refer to this one: if due at the same time, they are read first. */
  readonly readAfter?: readonly ResourceName[]
  readonly fields: Fields
  readonly gauges?: readonly Gauge<Name>[]
}

export interface LookUpRule<Name extends string = string> {
  readonly path: string
  /** Only an answer by id contains this field; it is read again in rotation. */
  readonly states: Name
  /** The field of the list whose change makes that one unknown. */
  readonly until: Name
}

export interface UpdatedAfter<Name extends string = string> {
  readonly updated: Name
  readonly created: Name
  readonly overlap: readonly ['documents', 'overlapMs']
}

interface Feed<Name extends string> extends Common<Name> {
  readonly kind: 'feed'
  /** A GUID exists in one tenant only, so a known one proves whose data these are. */
  readonly identifiedBy?: 'guid'
  /** Most records on a page (docs/internals/api.md#open-points); null = not stated. */
  readonly maxPageSize: number | null
  /** `confirm`: look-up by id; `two-full-syncs`: absent from two complete full syncs in a row. */
  readonly removal: 'confirm' | 'two-full-syncs'
  /** To continue after a refused cursor, and to confirm removals. Of two records with one id the later update counts. */
  readonly updatedAfter?: UpdatedAfter<Name>
  readonly lookUp?: LookUpRule<Name>
  /** The date by which the specification orders the feed; another order is a contract event. */
  readonly orderedBy?: Name
  /** A field that is unique regardless of letter case; repeats are counted as `event`. */
  readonly unique?: { readonly field: Name; readonly event: ContractEventKind }
}

/** A list whose cursors are valid within one full sync only, and whose emptiness proves nothing. */
interface PagedList<Name extends string> extends Common<Name> {
  readonly kind: 'pagedList'
  /** A page is confirmed by its known ids, because the order of records may vary between answers. */
  readonly identifiedBy: 'guid'
  /** The role field, if the list always contains the requesting client, whose id is the setting `ownClientId`. */
  readonly self: { readonly role: Name } | null
}

export interface Contradictions<Name extends string = string> {
  /** While a record elsewhere refers to this list, it cannot be empty. */
  readonly namedBy: readonly (readonly [ResourceName, field: string])[]
  /** Field of the granted list, and the code in its members: some record always grants one. */
  readonly grants: readonly [Name, code: string]
  /** Field with the name of a record, to find the caller's role, which must have the permission to read the list. */
  readonly name: Name
}

interface Whole<Name extends string> extends Common<Name> {
  readonly kind: 'whole'
  readonly identifiedBy?: never
  readonly contradictedBy?: Contradictions<Name>
}

type Described<Name extends string> = Feed<Name> | PagedList<Name> | Whole<Name>

interface Derived {
  readonly idField: string | null
}

export type FeedResource = Feed<string> & Derived
export type PagedListResource = PagedList<string> & Derived
export type WholeResource = Whole<string> & Derived

export type ResourceDefinition = FeedResource | PagedListResource | WholeResource

export type FeedWithTime = FeedResource & { readonly updatedAfter: UpdatedAfter }

export function takesUpdatedAfter(resource: ResourceDefinition): resource is FeedWithTime {
  return resource.kind === 'feed' && resource.updatedAfter !== undefined
}

export function defineResource<const F extends Fields, const R extends Described<keyof F & string>>(
  resource: R & { readonly fields: F },
): R & { readonly fields: F } & Derived {
  return Object.assign({ idField: idFieldOf(resource.fields) }, resource)
}
