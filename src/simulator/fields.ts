import { parseTimestamp } from './timestamps.ts'
import type { Raw } from './truth.ts'

/** Type of a field; `time` accepts epoch milliseconds, an ISO 8601 text or a Date. */
export type FieldKind = 'string' | 'string?' | 'integer' | 'boolean' | 'time' | 'time?' | 'guid'

export type FieldKinds = Readonly<Record<string, FieldKind>>

/** Input fields: times also as text or Date, `raw` for wrong types or unknown names. */
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
 * A copy of the record with these fields. Values of a wrong type and unknown names go to `raw` and are served verbatim, to
 * make malformed records.
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
  // `known` contains only names of T with values of the right type.
  return { ...record, ...known, raw } as T
}

export const userKinds = {
  userId: 'integer',
  firstName: 'string',
  lastName: 'string',
  email: 'string',
  state: 'string',
  mfaStatus: 'boolean',
  mfaAction: 'boolean',
  roleId: 'integer',
  roleName: 'string?',
  createdAt: 'time',
} as const satisfies FieldKinds

export const documentKinds = {
  fileId: 'guid',
  filename: 'string',
  uploadStatus: 'string?',
  createdAt: 'time',
  updatedAt: 'time?',
} as const satisfies FieldKinds

export const roleKinds = {
  roleId: 'integer',
  name: 'string',
  description: 'string',
  state: 'string',
  type: 'string',
  isReadOnly: 'boolean',
} as const satisfies FieldKinds

export const settingsKinds = {
  ssoEnabled: 'boolean',
  ssoEnforced: 'boolean',
  providerType: 'string?',
  tenantName: 'string?',
  mfaEnabled: 'boolean',
} as const satisfies FieldKinds
