import { stringify } from 'yaml'
import type * as z from 'zod'
import type { KnownSetting } from '../model/fields.ts'
import type { OwnerRule, PortalUrl } from '../model/owners.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import type { Severity } from '../model/severity.ts'
import { dayMs, parseIsoDate, secondMs } from '../model/time.ts'
import { type CronSchedule, cronSchedule } from './cron.ts'
import type { OwnCheck, OwnChecksSettings } from './own-checks.ts'
import type { Written, WrittenTenant } from './schema.ts'
import type { secretSource } from './sections.ts'
import { durationMs, type ListenAddress, maskUrl, readListen } from './values.ts'

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

export type SecretOrigin = DeepReadonly<z.output<ReturnType<typeof secretSource>>>
export type EmailSettings = Extract<NotificationSettings['to'], { readonly email: unknown }>['email']

export type AuthSettings = DeepReadonly<WrittenTenant['auth']>

export type ApiSettings = DeepReadonly<ReturnType<typeof apiOf>>

export interface ResourceSettings {
  readonly enabled: boolean
  /** Null for resources without incremental sync. */
  readonly incremental: CronSchedule | null
  readonly full: CronSchedule
  /** Explicit freshness limit in milliseconds; null = derived from the interval of full syncs. */
  readonly freshnessMs: number | null
}

export interface CheckSettings {
  readonly enabled: boolean
  /** Replaces all severities of the check when set. */
  readonly severity: Severity | null
  /** Validated by the schema of the check. */
  readonly options: Readonly<Record<string, unknown>>
}

export interface TenantSettings extends DeepReadonly<Pick<Written, 'users' | 'roles' | 'userDetails' | 'removals'>> {
  readonly name: string
  /** Origin and path prefix before /api/public, without a trailing slash. */
  readonly baseUrl: string
  readonly auth: AuthSettings
  readonly ownClientId: string | null
  readonly api: ApiSettings
  readonly resources: Readonly<Record<ResourceName, ResourceSettings>>
  readonly checks: Readonly<Record<string, CheckSettings>>
  readonly portalUrl: PortalUrl
  readonly documents: { readonly overlapMs: number; readonly knownStatuses: readonly (string | null)[] }
}

export interface Waiver extends Readonly<Omit<Written['waivers'][number], 'expires' | 'ticket'>> {
  /** Last valid instant, milliseconds since the epoch (the end of the named UTC day). */
  readonly expiresMs: number
}

/** A target of notifications. */
export type NotificationSettings = DeepReadonly<Written['notifications'][number]>

/** The effective configuration: defaults applied, tenant overrides merged, units as named. */
export interface Settings {
  readonly tenants: readonly TenantSettings[]
  readonly evaluate: CronSchedule
  readonly timezone: string
  readonly historyRetentionDays: number
  /** A file of SQLite, or a database of PostgreSQL whose URL has a password. */
  readonly store: DeepReadonly<Written['store']>
  readonly server: ListenAddress & DeepReadonly<Omit<Written['server'], 'listen'>>
  readonly ownChecks: OwnChecksSettings
  readonly waivers: readonly Waiver[]
  readonly owners: readonly OwnerRule[]
  readonly notifications: readonly NotificationSettings[]
  readonly logLevel: string
}

export function knownValues(
  { users, roles, documents }: Pick<TenantSettings, 'users' | 'roles' | 'documents'>,
  { setting }: KnownSetting,
): readonly (string | null)[] {
  return {
    'users.knownStates': users.knownStates,
    'roles.knownStates': roles.knownStates,
    'documents.knownStatuses': documents.knownStatuses,
  }[setting]
}

/** Tenants that override nothing share the general settings. */
export function settingsOf(written: Written, own: readonly OwnCheck[]): Settings {
  const general = { api: apiOf(written.api), resources: resourcesOf(written), checks: checksOf(written.checks) }
  const { overlap, knownStatuses } = written.documents
  const limits = {
    users: { knownStates: [...new Set(['Active', 'Invited', ...written.users.knownStates])] },
    roles: { knownStates: [...new Set(['Active', ...written.roles.knownStates])] },
    userDetails: written.userDetails,
    documents: { overlapMs: durationMs(overlap), knownStatuses: [...new Set(knownStatuses)] },
    removals: written.removals,
  }
  const tenants = written.tenants.map(({ api, resources, schedule, freshness, checks, ...tenant }) => {
    const own = resources ?? schedule ?? freshness
    const sections = {
      resources: resources ?? written.resources,
      schedule: schedule ?? written.schedule,
      freshness: freshness ?? written.freshness,
    }
    return {
      ...tenant,
      api: api === undefined ? general.api : apiOf(api),
      resources: own === undefined ? general.resources : resourcesOf(sections),
      checks: checks === undefined ? general.checks : checksOf(checks),
      portalUrl: tenant.portalUrl ?? written.portalUrl,
      ...limits,
    }
  })
  const { timeoutSeconds, ...ownChecks } = written.ownChecks
  const { listen, ...server } = written.server
  const address = readListen(listen)
  if (address === null) throw new Error(`Address ${listen} is not usable`)
  return {
    tenants,
    evaluate: cronSchedule(written.schedule.evaluate),
    timezone: written.schedule.timezone,
    historyRetentionDays: written.history.retentionDays,
    store: written.store,
    server: { ...address, ...server },
    ownChecks: { ...ownChecks, timeoutMs: timeoutSeconds * secondMs, checks: own },
    waivers: written.waivers.map(waiverIn),
    owners: written.owners,
    notifications: written.notifications,
    logLevel: written.log.level,
  }
}

function apiOf({ timeoutSeconds, maxBodyMiB, ...api }: Written['api']) {
  return { ...api, timeoutMs: Math.ceil(timeoutSeconds * secondMs), maxBodyBytes: Math.ceil(maxBodyMiB * 2 ** 20) }
}

type ResourceSections = Pick<Written, 'resources' | 'freshness'> & {
  readonly schedule: NonNullable<WrittenTenant['schedule']>
}

function resourcesOf({ resources, schedule, freshness }: ResourceSections): TenantSettings['resources'] {
  const settings = resourceNames.map((name): [ResourceName, ResourceSettings] => {
    const { incremental, full } = schedule[name]
    const limit = freshness[name]
    const times = {
      incremental: incremental === undefined ? null : cronSchedule(incremental),
      full: cronSchedule(full),
    }
    return [name, { ...resources[name], ...times, freshnessMs: limit === undefined ? null : durationMs(limit) }]
  })
  return Object.fromEntries(settings) as TenantSettings['resources']
}

function checksOf(written: Written['checks']): TenantSettings['checks'] {
  const settings = Object.entries(written as Readonly<Record<string, CheckOptions>>).map(([id, check]) => {
    const { enabled, severity = null, ...options } = check
    return [id, { enabled, severity, options }] as const
  })
  return Object.fromEntries(settings)
}

type CheckOptions = Readonly<Record<string, unknown>> & Omit<CheckSettings, 'options'>

/** A waiver as it is written. Its ticket is part of the reason, so that it is shown wherever that is. */
export function waiverIn({ expires, ticket, reason, ...waiver }: Written['waivers'][number]): Waiver {
  const agreed = ticket === undefined ? reason : `${reason} (${ticket})`
  return { ...waiver, reason: agreed, expiresMs: lastInstantOf(expires) }
}

/** The end of a day, as waivers end; docs/waivers.md. */
export function lastInstantOf(day: string): number {
  return (parseIsoDate(day)?.ms ?? Number.NaN) + dayMs - 1
}

/** The effective configuration as a file, with possible secrets replaced by `redacted`; can be loaded again. */
export function maskedYaml(written: Written): string {
  return stringify(written, masked, { lineWidth: 0, aliasDuplicateObjects: false })
}

/** Masks arguments of commands, parameters of OAuth, and queries and users of URLs; shows names of variables and files. */
function masked(key: unknown, value: unknown): unknown {
  if (key === 'command' && Array.isArray(value)) return value.map((part, at) => (at === 0 ? part : '[redacted]'))
  if (key === 'parameters') return Object.fromEntries(Object.keys(value as object).map((name) => [name, '[redacted]']))
  if ((key === 'tokenUrl' || key === 'proxy') && typeof value === 'string') return maskUrl(value)
  // Exactly one of path and url is valid.
  if (key === 'store') return Object.fromEntries(Object.entries(value as object).filter(([, one]) => one !== null))
  return value
}
