import type { Clock, Random } from '../model/clock.ts'
import type { Log } from '../model/log.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { AuthOptions } from './credentials/auth-options.ts'
import type { EnvLookup } from './credentials/env-source.ts'
import type { TenantObserver } from './reader.ts'

/** How the API of a tenant is spoken to. */
export interface ApiOptions {
  /** Name of the page-size parameter of users and documents, or of each; null sends none. */
  readonly pageSizeParameter: string | null | Readonly<Partial<Record<ResourceName, string | null>>>
  readonly pageSize: number
  /** Total deadline of one request, in milliseconds. */
  readonly timeoutMs: number
  /** Cap on a decompressed body, in bytes; roles and permissions may have 32 MiB. */
  readonly maxBodyBytes: number
  /** 0 = no limit. */
  readonly requestsPerSecond: number
  readonly allowInsecureHttp: boolean
  readonly proxy: string | null
  readonly caFile: string | null
}

export interface TenantClientOptions {
  /** The tenant's name, for logs. */
  readonly name: string
  /** Origin and path prefix before /api/public. */
  readonly baseUrl: string
  readonly auth: AuthOptions
  readonly api: ApiOptions
  readonly clock: Clock
  readonly random: Random
  readonly env: EnvLookup
  /** Version of this program, for User-Agent. */
  readonly version: string
  readonly observer?: TenantObserver
  readonly log?: Log
  /**
   * For how long a success speaks for a token, and how often a dead one is tried, in milliseconds; 5 min by default.
   */
  readonly cycleMs?: number
  /** Wall time in milliseconds before which nothing may be sent, as an earlier process stored it by `storeWait`. */
  readonly blockedUntil?: number
  /** How much of that wait was left then, in milliseconds: it never lasts longer from now on. */
  readonly blockedForMs?: number | null
  /**
   * Stores that time, 0 for none, and how much is left of the wait: as soon as the tenant states one, and again when the
   * wall clock was set.
   */
  readonly storeWait?: (until: number, forMs: number) => Promise<void>
  /** How many retries may be in store for all requests together; 20 by default. */
  readonly retries?: number
  /** The resources that may be asked for when a token must be tried; all by default. */
  readonly resources?: readonly ResourceName[]
}
