import type { ApiSettings, TenantSettings } from '../config/settings.ts'
import type { Clock, Random } from '../model/clock.ts'
import type { Log } from '../model/log.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { ReachedTime } from '../model/server-clock.ts'
import type { TenantObserver } from './reader.ts'

export type EnvLookup = (name: string) => string | undefined

/** Without the limit of a run, which the engine counts. */
export type ApiOptions = Omit<ApiSettings, 'allowInsecureHttp' | 'maxPages'>

export interface TenantClientOptions extends Pick<TenantSettings, 'auth' | 'baseUrl' | 'name'> {
  readonly api: ApiOptions
  readonly clock: Clock
  readonly random: Random
  readonly env: EnvLookup
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
