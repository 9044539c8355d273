import type { LifeRates } from './life-rates.ts'
import type { ReadingsInput } from './readings.ts'

/** How many records a tenant starts with. */
export interface TenantSizes {
  /** Any number up to a few million: users and documents cost nothing until they are asked for. */
  readonly users: number
  readonly documents: number
  /** At least the clients of the tokens and, with problems, one for each kind of problem. */
  readonly apiClients: number
  /** At least the roles that tokens, people and problems need. */
  readonly roles: number
}

export interface SimulatorOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Port of the API; 0 (default) takes a free one. */
  readonly port?: number
  /** Port of the control interface; 0 (default) takes a free one, null leaves it out. */
  readonly controlPort?: number | null
  /** Same seed and same start time: same tenants, tokens and life. Default `tenantwatch`. */
  readonly seed?: string | number
  /** Epoch milliseconds; default the machine's clock. */
  readonly clock?: () => number
  readonly sizes?: Partial<TenantSizes>
  readonly secondSizes?: Partial<TenantSizes>
  /** How many users of the primary tenant the second one has, too, each with a role of its own there. Default 2. */
  readonly sharedUsers?: number
  /** Whether the data shows every kind of compliance problem (default) or none. */
  readonly problems?: boolean
  /** Whether two roles share the name `Viewer`. Default: as `problems`. */
  readonly sameNamedRoles?: boolean
  readonly readings?: ReadingsInput
  /** Milliseconds from upload until a document is `Completed`. Default ten minutes. */
  readonly ingestionDelayMs?: number
  /** Seconds an access token of `/oauth/token` lives. Default 300. */
  readonly oauthTokenSeconds?: number
  /** Milliseconds between steps of life; default null: only explicit `live` calls. */
  readonly liveEveryMs?: number | null
  readonly lifeRates?: Partial<LifeRates>
  /** Requests kept in the log. Default 10,000. */
  readonly requestLogSize?: number
}

export const defaultSizes: TenantSizes = { users: 250, documents: 120, apiClients: 24, roles: 16 }

export const defaultSecondSizes: TenantSizes = { users: 40, documents: 20, apiClients: 12, roles: 8 }
