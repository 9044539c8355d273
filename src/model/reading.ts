export interface Oddity {
  readonly kind: ContractEventKind
  readonly field: string
  /** A value that names no person, and the configuration key that lists the known values; `missing` = an absent field. */
  readonly detail?: string
}

export type AnyRecord = Readonly<Record<string, unknown>>

export interface ValidReading<T = AnyRecord> {
  readonly ok: true
  readonly record: T
  /** Fields that the specification does not name; null = none. */
  readonly extra: AnyRecord | null
  readonly oddities: readonly Oddity[]
}

/** The raw value and a reason, for the quarantine; `id` is null when unreadable. */
export interface InvalidReading {
  readonly ok: false
  readonly id: string | number | null
  readonly raw: unknown
  readonly problem: string
}

/** A record of an answer. */
export type Reading<T = AnyRecord> = ValidReading<T> | InvalidReading

/** Null for an unreadable id, and for a record without a field for it. */
export function idOf(item: Reading, idField: string | null): string | number | null {
  if (!item.ok) return item.id
  const id = idField === null ? null : item.record[idField]
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** What each kind of deviation from the API's specification means for the data, without a full stop. */
export const contractEventMeanings = {
  unknown_field:
    'A field that the specification does not name is read by no check; one of the envelope, such as meta.warnings, may mean that the answer is partial',
  unknown_value:
    'A value that the specification does not name is stored; if it is legitimate and a configuration key is named with it, add it to that key',
  order_violation:
    'The list is out of order or moved while it was read; a record that it skipped comes with a later full sync',
  skipped_row: 'A full sync left out a record that exists; the list is read once more',
  invalid_id: 'An id that should be a GUID is not one',
  duplicate_email: 'Two users have the same e-mail address',
  contradictory: 'Records with one id differ; they are quarantined until they agree',
  no_offset: 'Dates without an offset are read as UTC; if the API sends local time, expiry dates are hours off',
  limit_differs: 'Pages have another size than requested; check api.pageSizeParameter and api.pageSize',
  unreadable_time: 'Without a readable meta.timestamp, checks that compare times do not pass',
  detail_differs: 'A user read by id differs from the list; the list counts',
} as const

export type ContractEventKind = keyof typeof contractEventMeanings
