/**
 * What a check reads is strict: a wrong value quarantines the record. Any other field is descriptive: a wrong value
 * becomes null and is counted.
 */
interface Rules {
  readonly strict?: true
  /**
   * True where null is a value, while an absent field is counted; `counted` where null is counted as well. Of strict fields
   * only: a descriptive one has null in any case.
   */
  readonly nullable?: true | 'counted'
  /** True where null or an absent field is neither refused nor counted. */
  readonly optional?: true
  /** The flag of the same record that forbids this strict field to be absent. */
  readonly requiredWith?: string
  /** True for what names a person or what a person wrote: erased when a tombstone outlives the retention. */
  readonly personal?: true
}

interface TextRules extends Rules {
  /** Its values, or the setting that lists them; any other is kept and counted. */
  readonly known?: readonly string[] | KnownSetting
}

interface IntegerRules extends Rules {
  /**
   * Null in the list means "not stated": it never overwrites what the look-up by id stated, until the field named here
   * changes.
   */
  readonly unstatedInList?: { readonly until: string }
}

interface DateRules extends Rules {
  /** True where a time more than 24 hours ahead of the server's is not plausible. */
  readonly pastOnly?: true
  /** What it means when the date of a known record moves to a later one. */
  readonly laterMeans?: 'secretRotated'
}

/** The section and key of the configuration that lists the values of a field. */
export interface KnownSetting {
  readonly setting: readonly ['documents', 'knownStatuses']
}

/** A list of objects in the order of their ids. */
interface ListRules extends Rules {
  readonly of: Fields
  /** Name of the view that shows own checks a row a member. */
  readonly view: string
}

/** One field of a record, as data; made by the functions below. */
export type Field =
  | ({ readonly kind: 'guid'; readonly id: true } & Rules)
  | ({ readonly kind: 'integer'; readonly id?: true } & IntegerRules)
  | ({ readonly kind: 'text' } & TextRules)
  | ({ readonly kind: 'flag' } & Rules)
  | ({ readonly kind: 'date' } & DateRules)
  | ({ readonly kind: 'list' } & ListRules)

export type FieldKind = Field['kind']

/** The fields of a record in the order of the API's specification. */
export type Fields = Readonly<Record<string, Field>>

/** Identifiers; always strict. */
export const id = {
  /** One that exists in one tenant only, in any letter case. */
  guid: () => ({ kind: 'guid', strict: true, id: true }) as const,
  integer: () => ({ kind: 'integer', strict: true, id: true }) as const,
}

export function text<const Given extends TextRules = object>(given = {} as Given) {
  return { kind: 'text' as const, ...given }
}

/** Always strict. */
export function integer<const Given extends IntegerRules>(given: Given) {
  return { kind: 'integer' as const, strict: true as const, ...given }
}

export function flag<const Given extends Rules = object>(given = {} as Given) {
  return { kind: 'flag' as const, ...given }
}

/** An ISO 8601 date; always strict. */
export function date<const Given extends DateRules>(given: Given) {
  return { kind: 'date' as const, strict: true as const, ...given }
}

export function list<const Given extends ListRules>(given: Given) {
  return { kind: 'list' as const, strict: true as const, ...given }
}

interface Plain {
  readonly guid: string
  readonly integer: number
  readonly text: string
  readonly flag: boolean
  readonly date: string
}

type NullOf<F> = F extends { readonly strict: true }
  ? F extends { readonly nullable: unknown } | { readonly optional: true }
    ? null
    : never
  : null

/** The type of a field's values. */
export type ValueOf<F> = F extends { readonly kind: 'list'; readonly of: infer Of }
  ? readonly RecordOf<Of>[]
  : F extends { readonly kind: infer Kind extends keyof Plain }
    ? Plain[Kind] | NullOf<F>
    : never

/** The type of the records that have these fields. */
export type RecordOf<F> = { readonly [Name in keyof F]: ValueOf<F[Name]> }

/** The name of the field that identifies a record; null where there is one object without an id. */
export function idFieldOf(fields: Fields): string | null {
  return Object.keys(fields).find((name) => isId(fields[name])) ?? null
}

function isId(field: Field | undefined): boolean {
  return field !== undefined && 'id' in field && field.id === true
}
