import type { Clock, Random } from '../model/clock.ts'
import type { Log } from '../model/log.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { ReachedTime } from '../model/server-clock.ts'
import type { TenantObserver } from './reader.ts'

export type EnvLookup = (name: string) => string | undefined

export interface ApiOptions {
  /** Name of the page-size parameter of all feeds, or of each one; null sends none. */
  readonly pageSizeParameter: string | null | Readonly<Partial<Record<ResourceName, string | null>>>
  readonly pageSize: number
  /** Total deadline of one request, in milliseconds. */
  readonly timeoutMs: number
  /** Cap on a decompressed body, in bytes; roles and permissions may have 32 MiB. */
  readonly maxBodyBytes: number
  /** 0 = no limit. */
  readonly requestsPerSecond: number
  readonly allowInsecureHttp: boolean
  /** Its URL, or where that is, because it may contain a password; null = that of the environment. */
  readonly proxy: string | SecretOrigin | null
  /** PEM file of authorities besides the default ones. */
  readonly caFile: string | null
}

export interface TenantClientOptions {
  readonly name: string
  /** Origin and path prefix before /api/public. */
  readonly baseUrl: string
  readonly auth: AuthOptions
  readonly api: ApiOptions
  readonly clock: Clock
  readonly random: Random
  readonly env: EnvLookup
  readonly version: string
  readonly observer?: TenantObserver
  readonly log?: Log
  /** How long a success proves a token, and the interval of probes of a refused one, in milliseconds; default 5 min. */
  readonly cycleMs?: number
  readonly blockedUntil?: number
  /** Remaining wait when it was stored, in milliseconds; absent or null = unknown. */
  readonly blockedForMs?: number | null
  /** Server times of the last answers that earlier processes received. */
  readonly serverTimesReached?: readonly ReachedTime[]
  /** Stores the end of the wait in wall time (0 = none) and the remaining milliseconds. Absent = not stored. */
  readonly storeWait?: (until: number, forMs: number) => Promise<void>
  /** Budget of retries. */
  readonly retries?: number
  readonly resources?: readonly ResourceName[]
}

export type SecretOrigin =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[] }

export interface OAuth2Origin {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: { readonly env: string } | { readonly file: string }
  readonly scope: string | null
  /** Further parameters of the request, such as `audience`. */
  readonly parameters: Readonly<Record<string, string>>
  /** Where clientId and secret are sent: in the form, or in a Basic header. */
  readonly clientAuth: 'basic' | 'body'
}

export interface AuthOptions {
  readonly header: string
  readonly scheme: string
  readonly token: SecretOrigin | { readonly oauth2: OAuth2Origin }
}
