import type { KnownSetting } from '../model/fields.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'
import type { Severity } from '../model/severity.ts'
import type { OwnChecksSettings } from './own-checks/own-check.ts'

export type SecretSource =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[] }

/** Where the mirror is: a file of SQLite, or a database of PostgreSQL whose URL has a password. */
export type StoreSettings =
  | { readonly path: string; readonly url: null }
  | { readonly path: null; readonly url: SecretSource }

export interface OAuth2Settings {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: { readonly env: string } | { readonly file: string }
  readonly scope: string | null
}

export interface AuthSettings {
  /** Name of the header that carries the token; the specification does not state it. */
  readonly header: string
  /** Word before the token; empty = bare token. */
  readonly scheme: string
  readonly token: SecretSource | { readonly oauth2: OAuth2Settings }
}

/** Name of the page-size parameter, for both feeds or each, which the specification does not state; null sends none. */
/** One name for all feeds, or one by feed. */
export type PageSizeParameter = string | null | Readonly<Partial<Record<ResourceName, string | null>>>

export interface ApiSettings {
  readonly pageSizeParameter: PageSizeParameter
  readonly pageSize: number
  readonly timeoutMs: number
  readonly maxPages: number
  readonly maxBodyBytes: number
  /** 0 = no limit. */
  readonly requestsPerSecond: number
  readonly allowInsecureHttp: boolean
  readonly proxy: string | null
  readonly caFile: string | null
}

export interface CronSchedule {
  readonly expression: string
  /** Largest gap between two runs in milliseconds. */
  readonly intervalMs: number
}

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

export interface TenantSettings {
  readonly name: string
  /** Origin and path prefix before /api/public, without a trailing slash. */
  readonly baseUrl: string
  readonly auth: AuthSettings
  readonly ownClientId: string | null
  readonly api: ApiSettings
  readonly resources: Readonly<Record<ResourceName, ResourceSettings>>
  readonly checks: Readonly<Record<string, CheckSettings>>
  readonly userDetails: { readonly perRun: number; readonly concurrency: number }
  readonly users: { readonly knownStates: readonly string[] }
  readonly documents: { readonly overlapMs: number; readonly knownStatuses: readonly (string | null)[] }
  readonly removals: { readonly maxPercent: number; readonly maxCount: number; readonly confirmPerRun: number }
}

export function knownValues(
  { users, documents }: Pick<TenantSettings, 'users' | 'documents'>,
  { setting }: KnownSetting,
): readonly (string | null)[] {
  return { 'users.knownStates': users.knownStates, 'documents.knownStatuses': documents.knownStatuses }[setting]
}

export interface Waiver {
  readonly id: string
  readonly check: string
  readonly entity: string
  readonly tenant: string
  readonly reason: string
  readonly owner: string
  /** Last valid instant, milliseconds since the epoch (the end of the named UTC day). */
  readonly expiresMs: number
}

/** The effective configuration: defaults applied, tenant overrides merged, units as named. */
export interface Settings {
  readonly tenants: readonly TenantSettings[]
  readonly evaluate: CronSchedule
  readonly timezone: string
  readonly historyRetentionDays: number
  readonly store: StoreSettings
  readonly server: {
    readonly host: string
    readonly port: number
    readonly webConfig: string | null
    readonly exposeDetails: boolean | 'auto'
    /** Host names in lower case, without a trailing dot. */
    readonly allowedHosts: readonly string[]
  }
  readonly ownChecks: OwnChecksSettings
  readonly waivers: readonly Waiver[]
  readonly logLevel: string
}

export interface ResourceDefaults {
  readonly name: ResourceName
  readonly schedule: Readonly<Partial<Record<SyncMode, string>>>
}

/** The schema must accept an empty object and its own output, so that a printed configuration can be loaded again. */
export interface CheckDefaults {
  readonly id: string
  readonly options: import('zod').ZodObject
}

export interface Catalogue {
  readonly resources: readonly ResourceDefaults[]
  readonly checks: readonly CheckDefaults[]
  /** True when own checks could not be read, so that an unknown check id may be valid. */
  readonly incomplete?: boolean
}
