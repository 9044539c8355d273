import type { Readings, TimestampStyle } from './readings.ts'

/** Fields that replace those of a shown record verbatim, to make malformed records. */
export type Raw = Readonly<Record<string, unknown>>

/** The fields of each resource in the order of the API ("Resources and their fields"). */
export const fieldsOf = {
  'authentication-settings': {
    ssoEnabled: 'boolean',
    ssoEnforced: 'boolean',
    providerType: 'text?',
    tenantName: 'text?',
    mfaEnabled: 'boolean',
  },
  'api-clients': {
    clientId: 'guid',
    name: 'text',
    roleName: 'text',
    secretExpirationDate: 'time',
    createdAt: 'time',
  },
  documents: { fileId: 'guid', filename: 'text', uploadStatus: 'text?', createdAt: 'time', updatedAt: 'time?' },
  permissions: { permissionId: 'integer', name: 'text', module: 'text', function: 'text', code: 'text' },
  roles: {
    roleId: 'integer',
    name: 'text',
    description: 'text',
    state: 'text',
    type: 'text',
    isReadOnly: 'boolean',
    permissions: 'permissions',
  },
  users: {
    userId: 'integer',
    firstName: 'text',
    lastName: 'text',
    email: 'text',
    state: 'text',
    mfaStatus: 'boolean',
    mfaAction: 'boolean',
    roleId: 'integer',
    // Null = the name of the role with `roleId`.
    roleName: 'text?',
    createdAt: 'time',
  },
} as const

type Table = typeof fieldsOf
export type ResourceName = keyof Table
export const resourceNames = Object.keys(fieldsOf) as ResourceName[]

/** Codes that gate endpoints ("Permission codes that gate endpoints"). */
export const permissionCodes = [
  'Api_Users_Read',
  'Api_Users_Create',
  'Api_Roles_Read',
  'Api_AuthSettings_Read',
  'Api_ApiClients_Read',
  'Api_Documents_Read',
] as const
export type PermissionCode = (typeof permissionCodes)[number]

export type Permission = Shown<'permissions'>

/** How a value of each kind is kept (times in epoch milliseconds), shown by the API, and given to change a record. */
interface Kinds {
  readonly boolean: [kept: boolean, shown: boolean, given: boolean]
  readonly guid: [string, string, string]
  readonly integer: [number, number, number]
  readonly permissions: [readonly Permission[], readonly Permission[], readonly (Permission | string)[]]
  readonly text: [string, string, string]
  readonly 'text?': [string | null, string | null, string | null]
  readonly time: [number, string, number | string | Date]
  readonly 'time?': [number | null, string | null, number | string | Date | null]
}
type Kind = keyof Kinds
type Of<N extends ResourceName, F extends keyof Table[N], I extends 0 | 1 | 2> = Kinds[Table[N][F] & Kind][I]

export type Kept<N extends ResourceName> = { readonly [F in keyof Table[N]]: Of<N, F, 0> } & { readonly raw: Raw }
export type Shown<N extends ResourceName> = { readonly [F in keyof Table[N]]: Of<N, F, 1> }
/** Values of a wrong type and unknown names are given in `raw`. */
export type Given<N extends ResourceName> = { readonly [F in keyof Table[N]]?: Of<N, F, 2> } & { readonly raw?: Raw }

export interface Style extends Pick<Readings, 'timestamps' | 'unknownFields'> {
  readonly upperGuids: boolean
}

const unknownFields: Readonly<Partial<Record<ResourceName, Raw>>> = {
  'api-clients': { lastUsedAt: null },
  'authentication-settings': { passwordPolicy: 'strong' },
  documents: { etag: 'W/"1"' },
  roles: { color: '#8899aa' },
  users: { locale: 'en-GB', avatar: null },
}

/** A record in the form of the API. */
export function show<N extends ResourceName>(resource: N, record: Kept<N>, style: Style): Shown<N> {
  const shown: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries<Kind>(fieldsOf[resource])) {
    const value: unknown = Reflect.get(record, name)
    const isTime = kind === 'time' || kind === 'time?'
    if (isTime && typeof value === 'number') shown[name] = formatTimestamp(value, style.timestamps)
    else shown[name] = kind === 'guid' && style.upperGuids ? String(value).toUpperCase() : value
  }
  return Object.assign(shown, style.unknownFields && unknownFields[resource], record.raw) as Shown<N>
}

const orNull = (keep: Keep) => (value: unknown) => (value === null ? null : keep(value))
const keepText: Keep = (value) => (typeof value === 'string' ? value : undefined)
const keepTime: Keep = (value) => {
  if (typeof value === 'string') return parseTimestamp(value) ?? undefined
  const ms = value instanceof Date ? value.getTime() : value
  // Beyond, a date has no text in some style.
  return typeof ms === 'number' && Math.abs(ms) <= 8.64e15 - DAY ? ms : undefined
}

/** The value as it is kept; undefined when it has a wrong type. */
type Keep = (value: unknown) => unknown

const kept: Readonly<Record<Kind, Keep>> = {
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  guid: (value) => (typeof value === 'string' ? value.toLowerCase() : undefined),
  integer: (value) => (Number.isSafeInteger(value) ? value : undefined),
  permissions: (value) => (Array.isArray(value) ? value : undefined),
  text: keepText,
  'text?': orNull(keepText),
  time: keepTime,
  'time?': orNull(keepTime),
}

/** A copy of the record with these fields. Values of a wrong type and unknown names are served verbatim. */
export function withFields<N extends ResourceName>(resource: N, record: Kept<N>, given: object): Kept<N> {
  const kinds: Readonly<Record<string, Kind>> = fieldsOf[resource]
  const known: Record<string, unknown> = {}
  const raw: Record<string, unknown> = { ...record.raw }
  for (const [name, value] of Object.entries(given)) {
    if (name === 'raw' || value === undefined) continue
    const kind = kinds[name]
    const accepted = kind === undefined ? undefined : kept[kind](value)
    if (accepted === undefined) raw[name] = value
    else {
      known[name] = accepted
      delete raw[name]
    }
  }
  if ('raw' in given) Object.assign(raw, given.raw)
  return { ...record, ...known, raw }
}

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Formats an instant (epoch milliseconds) in a style of ISO 8601. */
export function formatTimestamp(ms: number, style: TimestampStyle): string {
  switch (style) {
    case 'z':
      return new Date(ms).toISOString()
    case 'z7':
      return new Date(ms).toISOString().replace('Z', '1230Z')
    case 'no-offset':
      return new Date(ms).toISOString().slice(0, -1)
    case 'offset':
      return new Date(ms + 2 * HOUR).toISOString().replace('Z', '+02:00')
    default:
      return style satisfies never
  }
}

const iso = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/

/** Epoch milliseconds of an ISO 8601 text (no offset = UTC); null for other texts. */
export function parseTimestamp(text: string): number | null {
  const match = iso.exec(text)
  if (match === null) return null
  const [, date = '', time = '00:00', offset = 'Z'] = match
  const midnight = Date.parse(`${date}T00:00:00Z`)
  // Date.parse accepts 30 February as a day in March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return null
  const ms = Date.parse(`${date}T${time}${offset}`)
  return Number.isNaN(ms) ? null : ms
}
