import type { ContractEventKind } from './contract-events.ts'
import { type Fields, idFieldOf } from './fields.ts'
import type { ResourceName, SyncMode } from './resource-names.ts'

/** A column that the mirror keeps for itself; times in milliseconds since the epoch. */
export type OwnColumn<Name extends string = string, Own extends string = string> =
  /** When an answer by id last supplied what only it states; null = never. */
  | { readonly rule: 'readById'; readonly view?: string }
  /** The first of these dates that the record has. */
  | { readonly rule: 'firstOf'; readonly dates: readonly Name[] }
  /**
   * Since when the field has this value, or has not, as far as the mirror can tell: one value that is not may follow
   * another. Of a new record since the own time `from`, at the latest since it is known.
   */
  | {
      readonly rule: 'sinceChangeOf'
      readonly field: Name
      readonly is: string
      readonly from: Own
      /** Its name in the view for own checks. */
      readonly view?: string
    }

type ColumnOf<Name extends string, Own extends string> = Name | `${Name}Ms` | Own

interface Common<Name extends string, Own extends string> {
  readonly name: ResourceName
  /** One record and several in words, for messages. */
  readonly nouns: readonly [one: string, many: string]
  /** Path of the list or object, below `baseUrl`. */
  readonly path: string
  /** Permission code that the tenant asks for (docs/api.md#endpoints). */
  readonly permission: string
  /** Its place among the endpoints that tell whether a token works: the cheapest comes first. */
  readonly probe: number
  /** Cron expressions when the configuration names none. */
  readonly schedule: Readonly<Partial<Record<SyncMode, string>>>
  /** The fields of a record in the order of the specification; an id comes first where there is one. */
  readonly fields: Fields
  /** What the mirror keeps of each record beside its fields. */
  readonly own?: Readonly<Record<Own, OwnColumn<Name, Own>>>
  /**
   * Fields by whose values live records are counted together: what is asked for often and must not grow with them. `[[]]`
   * counts all of them in one.
   */
  readonly counted: readonly [readonly Name[], ...(readonly Name[])[]]
  /** Indexes over live records by the last part of their name; each begins with the tenant. */
  readonly indexes?: Readonly<Record<string, readonly ColumnOf<Name, Own>[]>>
  /** The date by which the later of two records with one id wins. */
  readonly laterWins?: Name
  /** The fields by which a person is recognized in another list. */
  readonly person?: { readonly email: Name; readonly createdAt: Name }
  /** How its records identify the tenant: by GUIDs that exist in one tenant only, or by persons who may be in several. */
  readonly identifiedBy?: 'guid' | 'person'
}

/** A request for one record by its id. */
export interface LookUpRule<Name extends string = string> {
  /** With `{id}` in the place of the id. */
  readonly path: string
  /** The field that only an answer by id states; it is read again in rotation. */
  readonly states: Name
  /** The answer supplies it only where it agrees with the list in these. */
  readonly ifEqual: readonly Name[]
  /** Those whose `field` has a value that several records of another resource have in theirs come first. */
  readonly ambiguous: { readonly field: Name; readonly repeatedIn: readonly [ResourceName, string] }
}

/** What `updatedAfter` compares: the date of the last change, else of the creation. */
export interface UpdatedAfter<Name extends string = string> {
  readonly updated: Name
  readonly created: Name
  /** The setting that says how far it reaches back behind what was read. */
  readonly overlap: readonly ['documents', 'overlapMs']
}

/** A feed with a stored cursor: incremental syncs continue it, full syncs read it from the beginning. */
interface Feed<Name extends string, Own extends string> extends Common<Name, Own> {
  readonly kind: 'feed'
  /** Records on a page at most (docs/api.md#open-points); null = not stated. */
  readonly maxPageSize: number | null
  /** `confirm`: each missing record is asked for by id; `two-full-syncs`: absent from two complete full syncs in a row. */
  readonly removal: 'confirm' | 'two-full-syncs'
  /**
   * The query parameter `updatedAfter`, where the feed takes it: it makes a refused cursor good before the full sync does,
   * and confirms removals.
   */
  readonly updatedAfter?: UpdatedAfter<Name>
  readonly lookUp?: LookUpRule<Name>
  /** The date the feed is ordered by, where the specification promises an order. */
  readonly orderedBy?: Name
  /** A field that has no value twice, letter case aside, and what it is counted as where it has. */
  readonly unique?: { readonly field: Name; readonly event: ContractEventKind }
}

/** A paginated list whose cursor is good within one full sync only, and whose emptiness proves nothing. */
interface PagedList<Name extends string, Own extends string> extends Common<Name, Own> {
  readonly kind: 'pagedList'
  /** The name of its role where the list always contains the client that asks, whose id is the setting `ownClientId`. */
  readonly self: { readonly role: Name } | null
}

/** Why a list that comes whole may be incomplete all the same. */
export interface Contradictions<Name extends string = string> {
  /** Records elsewhere that name one of its own: while any does, the list cannot be empty. */
  readonly namedBy: readonly (readonly [ResourceName, field: string])[]
  /** The list in which a record carries what it grants, and the code in it: not all can cease to grant anything at once. */
  readonly grants: readonly [Name, code: string]
  /** The field by which the caller's own record is named: it cannot lack the permission by which the list was read. */
  readonly name: Name
}

/** A list or object that one answer holds whole. */
interface Whole<Name extends string, Own extends string> extends Common<Name, Own> {
  readonly kind: 'whole'
  readonly contradictedBy?: Contradictions<Name>
}

type Described<Name extends string, Own extends string> = Feed<Name, Own> | PagedList<Name, Own> | Whole<Name, Own>

interface Derived {
  /** Name of the mirror's column that identifies a record: of GUIDs one in lower case, as their case differs between answers. */
  readonly key: string
  /** The field that names a record; null: there is one object. */
  readonly idField: string | null
}

export type FeedResource = Feed<string, string> & Derived
export type PagedListResource = PagedList<string, string> & Derived
export type WholeResource = Whole<string, string> & Derived

/** One remote thing that is mirrored, as data. */
export type ResourceDefinition = FeedResource | PagedListResource | WholeResource

/** A feed that takes `updatedAfter`. */
export type FeedWithTime = FeedResource & { readonly updatedAfter: UpdatedAfter }

export function takesUpdatedAfter(resource: ResourceDefinition): resource is FeedWithTime {
  return resource.kind === 'feed' && resource.updatedAfter !== undefined
}

/** A descriptor whose names of fields and own columns are those of its own tables. */
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
