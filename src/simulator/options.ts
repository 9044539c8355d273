import type { ReadingsInput } from './readings.ts'

/** Expected number of events per tenant and step. */
export interface LifeRates {
  readonly invitationsAccepted: number
  readonly usersJoining: number
  /** New users in the middle of the list, before positions that cursors have passed. */
  readonly usersAppearingInTheMiddle: number
  readonly usersLeaving: number
  readonly mfaChanges: number
  readonly documentsUploaded: number
  readonly documentsUpdated: number
  readonly documentsDeleted: number
  readonly secretsRotated: number
}

export const defaultLifeRates: LifeRates = {
  invitationsAccepted: 0.6,
  usersJoining: 0.7,
  usersAppearingInTheMiddle: 0,
  usersLeaving: 0.3,
  mfaChanges: 0.8,
  documentsUploaded: 0.7,
  documentsUpdated: 0.5,
  documentsDeleted: 0.1,
  secretsRotated: 0.2,
}

export interface TenantSizes {
  /** Up to a few million; users and documents are computed when read. */
  readonly users: number
  readonly documents: number
  /** At least one for each token and, with `problems`, one for each kind of problem. */
  readonly apiClients: number
  /** At least the roles that tokens, users and problems need. */
  readonly roles: number
}

export interface SimulatorOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Port of the API; 0 (default) = a free one. */
  readonly port?: number
  /** Port of the control interface; 0 (default) = a free one, null = none. */
  readonly controlPort?: number | null
  /** The same seed and start time give the same tenants, tokens and events. Default `tenantwatch`. */
  readonly seed?: string | number
  /** Epoch milliseconds; default the system clock. */
  readonly clock?: () => number
  readonly sizes?: Partial<TenantSizes>
  readonly secondSizes?: Partial<TenantSizes>
  /** Users that both tenants have, each with a role of its own in the second. Default 2. */
  readonly sharedUsers?: number
  /** Whether the data contains every kind of compliance problem (default) or none. */
  readonly problems?: boolean
  /** Whether two roles have the name `Viewer`. Default: as `problems`. */
  readonly sameNamedRoles?: boolean
  readonly readings?: ReadingsInput
  /** Milliseconds from upload until a document is `Completed`. Default ten minutes. */
  readonly ingestionDelayMs?: number
  /** Lifetime of an access token of `/oauth/token` in seconds. Default 300. */
  readonly oauthTokenSeconds?: number
  /** Milliseconds between steps; default null = only explicit `live` calls. */
  readonly liveEveryMs?: number | null
  readonly lifeRates?: Partial<LifeRates>
  /** Size of the request log. Default 10,000. */
  readonly requestLogSize?: number
}

export const defaultSizes: TenantSizes = { users: 250, documents: 120, apiClients: 24, roles: 16 }

export const defaultSecondSizes: TenantSizes = { users: 40, documents: 20, apiClients: 12, roles: 8 }
