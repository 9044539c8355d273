import type { ContractEventKind } from './contract-events.ts'
import { type Fields, idFieldOf, type KnownSetting } from './fields.ts'
import type { ResourceName, SyncMode } from './resource-names.ts'

export type OwnColumn<Name extends string = string, Own extends string = string> =
  | { readonly rule: 'readById'; readonly view?: string }
  | { readonly rule: 'firstOf'; readonly dates: readonly Name[] }
  /** For a new record since the own time `from`, at the latest since it is known. */
  | {
      readonly rule: 'sinceChangeOf'
      readonly field: Name
      readonly is: string
      readonly from: Own
      readonly view?: string
    }

type ColumnOf<Name extends string, Own extends string> = Name | `${Name}Ms` | Own

export type Gauge<Name extends string = string> =
  | {
      readonly kind: 'count'
      readonly name: string
      readonly help: string
      /** The labels: `true` for a flag; of other fields the values with a series, `other` beside them, `none` for null. */
      readonly by: Readonly<Partial<Record<Name, true | readonly string[] | KnownSetting>>>
    }
  | { readonly kind: 'flag'; readonly name: string; readonly help: string; readonly field: Name }

interface Common<Name extends string, Own extends string> {
  readonly name: ResourceName
  readonly nouns: readonly [one: string, many: string]
  /** Name in SQL; absent = that of the resource. */
  readonly view?: string
  readonly path: string
  readonly permission: string
  /** The place among the endpoints that are requested when a token is refused, the cheapest first. */
  readonly probe: number
  readonly schedule: Readonly<Partial<Record<SyncMode, string>>>
  /** When both are due at once, it is read after these, whose records refer to it. */
  readonly readAfter?: readonly ResourceName[]
  readonly fields: Fields
  readonly own?: Readonly<Record<Own, OwnColumn<Name, Own>>>
  /** Fields whose values have stored counts of live records, for frequent reads; `[[]]` counts all in one. */
  readonly counted: readonly [readonly Name[], ...(readonly Name[])[]]
  readonly indexes?: Readonly<Record<string, readonly ColumnOf<Name, Own>[]>>
  readonly gauges?: readonly Gauge<Name>[]
  /** The date by which the later one of two records with one id counts. */
  readonly laterWins?: Name
  /** By these fields persons are compared (`identifiedBy`). */
  readonly person?: { readonly email: Name; readonly createdAt: Name }
  /** GUIDs exist in one tenant only, persons may be in several. */
  readonly identifiedBy?: 'guid' | 'person'
}

export interface LookUpRule<Name extends string = string> {
  readonly path: string
  /** Only an answer by id contains this field; it is read again in rotation. */
  readonly states: Name
  readonly ifEqual: readonly Name[]
  readonly ambiguous: { readonly field: Name; readonly repeatedIn: readonly [ResourceName, string] }
}

export interface UpdatedAfter<Name extends string = string> {
  readonly updated: Name
  readonly created: Name
  readonly overlap: readonly ['documents', 'overlapMs']
}

interface Feed<Name extends string, Own extends string> extends Common<Name, Own> {
  readonly kind: 'feed'
  /** Records on a page at most (docs/api.md#open-points); null = not stated. */
  readonly maxPageSize: number | null
  /** `confirm`: look-up by id; `two-full-syncs`: absent from two complete full syncs in a row. */
  readonly removal: 'confirm' | 'two-full-syncs'
  /** Recovers a refused cursor before the full sync does, and confirms removals. */
  readonly updatedAfter?: UpdatedAfter<Name>
  readonly lookUp?: LookUpRule<Name>
  /** The date by which the API promises to order the feed; another order is a contract event. */
  readonly orderedBy?: Name
  /** A field that is unique, letter case aside; repeats are counted as `event`. */
  readonly unique?: { readonly field: Name; readonly event: ContractEventKind }
}

/** Its cursors are valid within one full sync only, and its emptiness proves nothing. */
interface PagedList<Name extends string, Own extends string> extends Common<Name, Own> {
  readonly kind: 'pagedList'
  /** A page is confirmed by its known ids, because the order of records may vary between answers. */
  readonly identifiedBy: 'guid'
  /** The role field, if the list always contains the requesting client, whose id is the setting `ownClientId`. */
  readonly self: { readonly role: Name } | null
}

export interface Contradictions<Name extends string = string> {
  /** While a record elsewhere refers to this list, it cannot be empty. */
  readonly namedBy: readonly (readonly [ResourceName, field: string])[]
  /** Not all records can cease to grant this code at once. */
  readonly grants: readonly [Name, code: string]
  /** The caller's own record cannot lack the permission used to read the list. */
  readonly name: Name
}

interface Whole<Name extends string, Own extends string> extends Common<Name, Own> {
  readonly kind: 'whole'
  readonly contradictedBy?: Contradictions<Name>
}

type Described<Name extends string, Own extends string> = Feed<Name, Own> | PagedList<Name, Own> | Whole<Name, Own>

interface Derived {
  /** Of GUIDs in lower case, as their case differs between answers. */
  readonly key: string
  readonly idField: string | null
}

export type FeedResource = Feed<string, string> & Derived
export type PagedListResource = PagedList<string, string> & Derived
export type WholeResource = Whole<string, string> & Derived

export type ResourceDefinition = FeedResource | PagedListResource | WholeResource

export type FeedWithTime = FeedResource & { readonly updatedAfter: UpdatedAfter }

export function takesUpdatedAfter(resource: ResourceDefinition): resource is FeedWithTime {
  return resource.kind === 'feed' && resource.updatedAfter !== undefined
}

export function defineResource<
  const F extends Fields,
  const R extends Described<keyof F & string, Own>,
  const Own extends string = never,
>(
  resource: R & { readonly fields: F; readonly own?: Readonly<Record<Own, unknown>> },
): R & { readonly fields: F } & Derived {
  return Object.assign({ idField: idFieldOf(resource.fields), key: keyOf(resource.fields) }, resource)
}

function keyOf(fields: Fields): string {
  const idField = idFieldOf(fields)
  if (idField === null) return 'singleton'
  return fields[idField]?.kind === 'guid' ? `${idField.replace(/Id$/, '')}Key` : idField
}
