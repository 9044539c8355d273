import type { RecordOf } from '../../model/fields.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { ResourceNamed } from '../../resources/index.ts'

export type Scalar = string | number | boolean | null

/** Fields have the API's names, dates also `<field>Ms`. A null field only meets `is: null` and `not` of a value. */
export type Condition<Field extends string = string> =
  | { readonly field: Field; readonly is: Scalar }
  | { readonly field: Field; readonly not: Scalar }
  | { readonly field: Field; readonly in: readonly Scalar[] }
  | { readonly field: Field; readonly notIn: readonly Scalar[] }
  | { readonly field: Field; readonly atMost: number }
  | { readonly field: Field; readonly above: number }

/** All conditions of `all` must be met and, if `anyOf` is given, all conditions of one of its groups. */
export interface Where<Field extends string = string> {
  readonly all?: readonly Condition<Field>[]
  readonly anyOf?: readonly (readonly Condition<Field>[])[]
}

type IfNamed<Name extends ResourceName, Typed, Untyped> = ResourceName extends Name ? Untyped : Typed

export type FieldsOf<Name extends ResourceName> = IfNamed<
  Name,
  RecordOf<ResourceNamed<Name>['fields']>,
  Readonly<Record<string, unknown>>
>

export type ColumnOf<Name extends ResourceName> = IfNamed<
  Name,
  FieldName<Name> | `${FieldName<Name>}Ms` | KeyName<FieldName<Name>> | OwnName<ResourceNamed<Name>> | CommonColumn,
  string
>

export type ConditionOn<Name extends ResourceName> = Condition<ColumnOf<Name>>
export type WhereOn<Name extends ResourceName> = Where<ColumnOf<Name>>

type FieldName<Name extends ResourceName> = keyof ResourceNamed<Name>['fields'] & string
type OwnName<Resource> = Resource extends { readonly own: infer Own } ? keyof Own & string : never
/** The column of a GUID in lower case. */
type KeyName<Id extends string> = Id extends `${infer Noun}Id` ? `${Noun}Key` : never
type CommonColumn = 'absentFullSyncs' | 'lookupTurn' | 'firstSeenAt' | 'missingSince' | 'readAt'

export interface MirrorRecord<Fields = Readonly<Record<string, unknown>>> {
  /** The key as text: `userId`, lower-cased `clientId` and so on. */
  readonly key: string
  readonly fields: Fields
  /** Fields that the specification does not name, as sent; null = none. */
  readonly extra: Readonly<Record<string, unknown>> | null
  /** Milliseconds since the epoch: dates as `<field>Ms`, and the mirror's own times such as `statusSince`. */
  readonly times: Readonly<Record<string, number | null>>
  readonly firstSeenAt: number
  readonly readAt: number
  readonly requestId: string | null
  readonly absent: boolean
}

export interface RecordReader {
  /** Yields batches, to bound memory; without conditions, all records in key order. */
  select<Name extends ResourceName>(
    resource: Name,
    where?: WhereOn<Name>,
  ): AsyncIterable<readonly MirrorRecord<FieldsOf<Name>>[]>
  /** Live records by key; unknown keys are left out. */
  records<Name extends ResourceName>(
    resource: Name,
    keys: readonly string[],
  ): Promise<readonly MirrorRecord<FieldsOf<Name>>[]>
  /** Keys of all live records. */
  keys(resource: ResourceName): Promise<readonly string[]>
  count<Name extends ResourceName>(resource: Name, where?: WhereOn<Name>): Promise<number>
  countBy<Name extends ResourceName>(
    resource: Name,
    fields: readonly ColumnOf<Name>[],
    where?: WhereOn<Name>,
  ): Promise<readonly GroupCount[]>
  duplicates(
    resource: ResourceName,
    field: string,
  ): Promise<readonly { readonly value: string; readonly count: number }[]>
  /** Ignores letter case. `since`: the first search requires a change since this time, in milliseconds; null = none. */
  hasRepeats(resource: ResourceName, field: string, since: number | null): Promise<boolean>
  /** Oldest first. */
  history(resource: ResourceName, ...keys: readonly string[]): Promise<readonly ChangeRow[]>
}

export interface GroupCount {
  readonly values: readonly Scalar[]
  readonly count: number
}

export interface ChangeRow {
  /** Of the event, which may have changed several fields. */
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
