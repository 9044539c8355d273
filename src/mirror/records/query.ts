import type { RecordOf } from '../../model/fields.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { ResourceNamed } from '../../resources/index.ts'

export type Scalar = string | number | boolean | null

/**
 * A condition on one field of a record, as data, so that no reader knows which database answers. Fields have the API's
 * own names; dates are compared through `<field>Ms` (milliseconds since the epoch). Null never matches `in`, `notIn`,
 * `is` or `not` of another value unless the value is null itself.
 */
export type Condition<Field extends string = string> =
  | { readonly field: Field; readonly is: Scalar }
  | { readonly field: Field; readonly not: Scalar }
  | { readonly field: Field; readonly in: readonly Scalar[] }
  | { readonly field: Field; readonly notIn: readonly Scalar[] }
  | { readonly field: Field; readonly atMost: number }
  | { readonly field: Field; readonly above: number }

/** All of these conditions must hold; `anyOf` adds alternatives, of which one must hold. */
export interface Where<Field extends string = string> {
  readonly all?: readonly Condition<Field>[]
  readonly anyOf?: readonly (readonly Condition<Field>[])[]
}

/** Typed where the name is that of one resource, untyped where it may be any. */
type IfNamed<Name extends ResourceName, Typed, Untyped> = ResourceName extends Name ? Untyped : Typed

/** The fields of a record, typed where the resource is known. */
export type FieldsOf<Name extends ResourceName> = IfNamed<
  Name,
  RecordOf<ResourceNamed<Name>['fields']>,
  Readonly<Record<string, unknown>>
>

/** What a condition or a count may name: a field, a date as `<field>Ms`, a column of the mirror's own. */
export type ColumnOf<Name extends ResourceName> = IfNamed<
  Name,
  FieldName<Name> | `${FieldName<Name>}Ms` | OwnName<ResourceNamed<Name>> | CommonColumn,
  string
>

/** Conditions on the records of one resource. */
export type ConditionOn<Name extends ResourceName> = Condition<ColumnOf<Name>>
export type WhereOn<Name extends ResourceName> = Where<ColumnOf<Name>>

type FieldName<Name extends ResourceName> = keyof ResourceNamed<Name>['fields'] & string
type OwnName<Resource> = Resource extends { readonly own: infer Own } ? keyof Own & string : never
type CommonColumn = 'absentFullSyncs' | 'lookupTurn' | 'firstSeenAt' | 'missingSince' | 'readAt'

/** A live record as mirrored: the API's fields, and what the mirror knows of them. */
export interface MirrorRecord<Fields = Readonly<Record<string, unknown>>> {
  /** The key as text: `userId`, lower-cased `clientId` and so on. */
  readonly key: string
  /** The API's own field names with their values; dates as sent. */
  readonly fields: Fields
  /** Fields the specification does not name, as sent; null when there were none. */
  readonly extra: Readonly<Record<string, unknown>> | null
  /** Milliseconds since the epoch of each date field, under `<field>Ms`, and the mirror's own times such as `statusSince`. */
  readonly times: Readonly<Record<string, number | null>>
  readonly firstSeenAt: number
  readonly readAt: number
  readonly requestId: string | null
  /** True when the last complete full sync did not show it: it may be gone. */
  readonly absent: boolean
}

/** Reads of live records of one tenant at one instant of the mirror. */
export interface RecordReader {
  /** Records that meet the conditions (all, in key order, without any), in batches so that a million do not meet in memory. */
  select<Name extends ResourceName>(
    resource: Name,
    where?: WhereOn<Name>,
  ): AsyncIterable<readonly MirrorRecord<FieldsOf<Name>>[]>
  count<Name extends ResourceName>(resource: Name, where?: WhereOn<Name>): Promise<number>
  /** Count of live records by the given fields. */
  countBy<Name extends ResourceName>(
    resource: Name,
    fields: readonly ColumnOf<Name>[],
    where?: WhereOn<Name>,
  ): Promise<readonly GroupCount[]>
  /** Values of a field that more than one live record has, in value order. */
  duplicates(
    resource: ResourceName,
    field: string,
  ): Promise<readonly { readonly value: string; readonly count: number }[]>
  /**
   * True when two records that the last complete full sync showed have one text in a field, letter case aside. Looked for
   * only where such a text changed, or a record came or went, since the last look of this process.
   *
   * @param since from when on a change counts for the first look, in ms since the epoch; null to look in any case.
   */
  hasRepeats(resource: ResourceName, field: string, since: number | null): Promise<boolean>
  /** History of the records of these keys, oldest first. */
  history(resource: ResourceName, ...keys: readonly string[]): Promise<readonly ChangeRow[]>
}

export interface GroupCount {
  /** The group's values in the order of the fields asked for. */
  readonly values: readonly Scalar[]
  readonly count: number
}

export interface ChangeRow {
  readonly id: number
  readonly resource: string
  readonly key: string
  readonly at: number
  readonly kind: 'created' | 'changed' | 'removed' | 'returned'
  readonly field: string | null
  readonly before: unknown
  readonly after: unknown
  readonly requestId: string | null
}
