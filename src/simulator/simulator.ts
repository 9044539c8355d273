import type { FaultTable } from './faults/table.ts'
import type { LifeEvent } from './life.ts'
import type { LifeRates } from './life-rates.ts'
import type { Readings, ReadingsInput } from './readings.ts'
import type { TokenName } from './seed/tokens.ts'
import type { RequestHook } from './server/api-handler.ts'
import type { RequestLog } from './server/request-log.ts'
import type { TenantControl } from './tenant-control.ts'
import type { TenantState } from './tenant-state.ts'
import type { ClientCredentials } from './tokens.ts'
import type { PermissionCode, TenantName } from './truth.ts'
import type { Violation } from './violations.ts'

/** Readings that may change while the simulator runs; the order of documents is laid down at the start. */
export type ChangeableReadings = Omit<ReadingsInput, 'documentOrder' | 'inactiveRoleState'>

export interface LiveOptions {
  /** Default 1. */
  readonly steps?: number
  readonly rates?: Partial<LifeRates>
  /** Default: both tenants. */
  readonly tenants?: readonly TenantName[]
}

/** A running reference tenant API, with its truth, its faults and what its callers did. */
export interface Simulator extends AsyncDisposable {
  /** Base URL without `/api/public`. */
  readonly baseUrl: string
  /** URL of the control interface; null without one. */
  readonly controlUrl: string | null
  /** OAuth 2 client-credentials endpoint. */
  readonly tokenUrl: string
  /** Token values by name. */
  readonly tokens: Readonly<Record<TokenName, string>>
  /** Client id and secret by token name, for `tokenUrl`; the id is that of the API client in the list. */
  readonly credentials: Readonly<Record<TokenName, ClientCredentials>>
  readonly readings: Readings
  readonly primary: TenantControl
  readonly second: TenantControl
  readonly faults: FaultTable
  readonly requests: RequestLog
  /** What callers did against the specification. */
  readonly violations: readonly Violation[]
  tenant(name: TenantName): TenantControl
  /** The whole truth about a tenant; default the primary. */
  state(name?: TenantName): TenantState
  setReadings(readings: ChangeableReadings): void
  /** Runs steps of life and tells what happened. */
  live(options?: LiveOptions): LifeEvent[]
  /** The token, and those issued for its client, now belong to the other tenant (or the one named). */
  swapTenant(token: TokenName, tenant?: TenantName): void
  revokeToken(token: TokenName): void
  restoreToken(token: TokenName): void
  /** Gives the name a new token value and forgets the old one. */
  rotateToken(token: TokenName): string
  grantPermission(token: TokenName, permission: PermissionCode): void
  revokePermission(token: TokenName, permission: PermissionCode): void
  /** Makes every cursor issued so far invalid. */
  invalidateCursors(): void
  clearViolations(): void
  /** Calls the function with each request before it is worked on, and waits for it; gives a function that ends this. */
  onRequest(hook: RequestHook): () => void
  /** Stops listening and ends all connections. */
  close(): Promise<void>
}
