import { parseTimestamp } from './timestamps.ts'
import type { Raw } from './truth.ts'

/** The type a field of the truth has; `time` is given as epoch milliseconds, an ISO 8601 text or a Date. */
export type FieldKind = 'string' | 'string?' | 'integer' | 'boolean' | 'time' | 'time?' | 'guid'

/** Kinds of all fields of a record except `raw` and those a resource handles itself. */
export type FieldKinds = Readonly<Record<string, FieldKind>>

/** Fields as a caller gives them: times also as text or Date, `raw` for values of a wrong type or unknown names. */
export type FieldsOf<T> = {
  readonly [K in Exclude<keyof T, 'raw'>]?: T[K] extends number | null ? T[K] | string | Date : T[K]
} & { readonly raw?: Raw }

function toTime(value: unknown): number | undefined {
  if (value instanceof Date) return value.getTime()
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' ? (parseTimestamp(value) ?? undefined) : undefined
}

function accept(kind: FieldKind, value: unknown): unknown {
  switch (kind) {
    case 'string':
      return typeof value === 'string' ? value : undefined
    case 'guid':
      return typeof value === 'string' ? value.toLowerCase() : undefined
    case 'string?':
      return value === null || typeof value === 'string' ? value : undefined
    case 'integer':
      return Number.isSafeInteger(value) ? value : undefined
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'time':
      return toTime(value)
    case 'time?':
      return value === null ? null : toTime(value)
    default:
      return kind satisfies never
  }
}

/**
 * A copy of the record with the fields laid over it. A value of a wrong type, or a name the record does not have, is
 * kept in `raw` and so served verbatim: that is how one malformed record is planted for good.
 */
export function withFields<T extends { readonly raw: Raw }>(record: T, fields: object, kinds: FieldKinds): T {
  const known: Record<string, unknown> = {}
  const raw: Record<string, unknown> = { ...record.raw }
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'raw' || value === undefined) continue
    const kind = kinds[name]
    const accepted = kind === undefined ? undefined : accept(kind, value)
    if (accepted === undefined) raw[name] = value
    else {
      known[name] = accepted
      delete raw[name]
    }
  }
  if ('raw' in fields && typeof fields.raw === 'object') Object.assign(raw, fields.raw)
  // `known` holds only names of T, each with the type its kind stands for.
  return { ...record, ...known, raw } as T
}
