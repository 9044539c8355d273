/** An invalid value of a strict field quarantines the record; in other fields it is counted and becomes null. */
interface Rules {
  readonly strict?: true
  /** `stated`: null where it is sent; an absent field is invalid. Otherwise an absent field is null, and counted. */
  readonly nullable?: true | 'counted' | 'stated'
  /** True when null or an absent field is neither refused nor counted. */
  readonly optional?: true
  /** The flag of the same record that forbids this strict field to be absent. */
  readonly requiredWith?: string
  /** A person's name or text: erased when a tombstone outlives the retention. */
  readonly personal?: true
}

interface TextRules extends Rules {
  /** True if an empty text is invalid, as in a permission code, which no check would recognize. */
  readonly filled?: true
  readonly known?: KnownSetting
}

interface DateRules extends Rules {
  readonly pastOnly?: true
  readonly laterMeans?: 'secretRotated'
}

/** The known values come from a setting. */
export interface KnownSetting {
  readonly setting: 'documents.knownStatuses' | 'roles.knownStates' | 'users.knownStates'
  /** Values that checks know; those that differ in letter case or outer space only are stored as these. */
  readonly words?: readonly string[]
}

interface ListRules extends Rules {
  readonly of: Fields
  /** Name of the view with one row per member, for own checks. */
  readonly view: string
}

export type Field =
  | ({ readonly kind: 'guid'; readonly id: true } & Rules)
  | ({ readonly kind: 'integer'; readonly id?: true } & Rules)
  | ({ readonly kind: 'text' } & TextRules)
  | ({ readonly kind: 'flag' } & Rules)
  | ({ readonly kind: 'date' } & DateRules)
  | ({ readonly kind: 'list' } & ListRules)

export type FieldKind = Field['kind']

export type Fields = Readonly<Record<string, Field>>

export const id = {
  /** A GUID, which exists in one tenant only; its letter case may vary. */
  guid: () => ({ kind: 'guid', strict: true, id: true }) as const,
  integer: () => ({ kind: 'integer', strict: true, id: true }) as const,
}

export function text<const Given extends TextRules = object>(given = {} as Given) {
  return { kind: 'text' as const, ...given }
}

export function integer<const Given extends Rules>(given: Given) {
  return { kind: 'integer' as const, strict: true as const, ...given }
}

export function flag<const Given extends Rules = object>(given = {} as Given) {
  return { kind: 'flag' as const, ...given }
}

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

export type ValueOf<F> = F extends { readonly kind: 'list'; readonly of: infer Of }
  ? readonly RecordOf<Of>[]
  : F extends { readonly kind: infer Kind extends keyof Plain }
    ? Plain[Kind] | NullOf<F>
    : never

export type RecordOf<F> = { readonly [Name in keyof F]: ValueOf<F[Name]> }

export function idFieldOf(fields: Fields): string | null {
  return Object.keys(fields).find((name) => isId(fields[name])) ?? null
}

function isId(field: Field | undefined): boolean {
  return field !== undefined && 'id' in field && field.id === true
}
