import type { FieldKind } from '../../model/fields.ts'
import type { AnyRecord } from '../../model/reading.ts'
import { isoMs, secondMs } from '../../model/time.ts'
import { fromJson } from '../rows.ts'
import type { MirrorRecord } from './query.ts'
import type { RecordShape } from './record-shape.ts'

/** The canonical JSON of a decoded record: fields in the order of the descriptor, then unspecified ones as `extra`. */
export function bodyOf({ detail }: RecordShape, record: AnyRecord, extra: AnyRecord | null): string {
  // Only an answer by id may set that field; a value in a list deviates from the specification.
  const listed = detail === null || record[detail.states] === null ? record : { ...record, [detail.states]: null }
  return JSON.stringify(extra === null ? listed : { ...listed, extra })
}

/** Values that the mirror adds to the record of a list: a detail with its time. */
export type Supplement = Readonly<Record<string, number | null>>

export function supplementOf(text: string | null): Supplement {
  return text === null ? {} : (fromJson(text) as Supplement)
}

/** Columns that `mirrorRecordOf` takes, in its order. */
export const recordColumns = 'key, body, supplement, first_seen_at, read_at, request_id, missing_since, absent, problem'

export type RecordRow = readonly [
  key: string,
  body: string,
  supplement: string | null,
  firstSeenAt: number,
  readAt: number,
  requestId: string | null,
  missingSince: number | null,
  absent: number,
  problem: string | null,
]

export function mirrorRecordOf(shape: RecordShape, row: RecordRow): MirrorRecord {
  const [key, body, supplement, firstSeenAt, readAt, requestId, missingSince, absent, problem] = row
  const fields = fromJson(body) as Record<string, unknown>
  const { extra = null } = fields
  if (extra !== null) delete fields['extra']
  const added = supplementOf(supplement)
  const { detail } = shape
  if (detail !== null) fields[detail.states] = added[detail.states] ?? null
  return {
    key,
    fields,
    extra: extra as MirrorRecord['extra'],
    times: timesOf(shape, fields, added, firstSeenAt),
    firstSeenAt,
    readAt,
    requestId,
    absent: missingSince !== null || absent > 0,
    quarantined: problem !== null,
  }
}

function timesOf(shape: RecordShape, record: AnyRecord, added: Supplement, firstSeenAt: number) {
  const { dates, detail, updatedAfter } = shape
  const times: Record<string, number | null> = {}
  for (const [field, time] of dates) times[time] = isoMs(record[field])
  if (updatedAfter !== null) {
    const { updated, created } = updatedAfter
    times['touchedAtMs'] = times[`${updated}Ms`] ?? times[`${created}Ms`] ?? firstSeenAt
  }
  if (detail !== null) for (const time of ['detailReadAt', sinceOf(detail.states)]) times[time] = added[time] ?? null
  return times
}

/** Name of the time at which a detail was first read with its present value. */
export const sinceOf = (field: string) => `${field}Since`

/** The supplement after a change of the record, where it makes the detail unknown; null keeps the stored one. */
export function nextSupplement(
  { detail }: RecordShape,
  stored: string | null,
  fields: readonly string[],
): string | null {
  if (detail === null || stored === null || !fields.includes(detail.until)) return null
  const added = supplementOf(stored)
  const { [detail.states]: before, ...rest } = added
  // The next answer by id decides whether the detail changed.
  return before === undefined ? null : JSON.stringify({ ...rest, [`${detail.states}Before`]: before })
}

export interface RecordChange {
  readonly before: AnyRecord
  readonly after: AnyRecord
  /** Names of the fields that differ; `extra` stands for the unspecified ones. */
  readonly fields: readonly string[]
}

/** Compares two bodies: instants to the second, ids not at all, because they have the same key. */
export function changeBetween(shape: RecordShape, before: string, after: string): RecordChange {
  const [one, other] = [fromJson(before) as AnyRecord, fromJson(after) as AnyRecord]
  return { before: one, after: other, fields: differingFields(shape, one, other) }
}

export function differingFields({ fields, idField }: RecordShape, one: AnyRecord, other: AnyRecord): readonly string[] {
  const names = Object.keys(fields).filter((field) => {
    return field !== idField && !isSameValue(fields[field], one[field], other[field])
  })
  const isSameExtra = JSON.stringify(one['extra'] ?? null) === JSON.stringify(other['extra'] ?? null)
  return isSameExtra ? names : [...names, 'extra']
}

function isSameValue(kind: FieldKind | undefined, one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (kind === 'list') return JSON.stringify(one) === JSON.stringify(other)
  if (kind !== 'date') return false
  const [a, b] = [isoMs(one), isoMs(other)]
  return a !== null && b !== null && Math.floor(a / secondMs) === Math.floor(b / secondMs)
}
