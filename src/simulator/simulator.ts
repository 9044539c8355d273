import type { FaultTable } from './faults/table.ts'
import type { LifeEvent } from './life.ts'
import type { LifeRates } from './options.ts'
import type { Readings, ReadingsInput } from './readings.ts'
import { type TokenName, tokenNames, tokenSeed } from './seed/tokens.ts'
import type { RequestHook } from './server/api-handler.ts'
import type { RequestLog } from './server/request-log.ts'
import type { TenantControl } from './tenant-control.ts'
import type { TenantState } from './tenant-state.ts'
import type { ClientCredentials } from './tokens.ts'
import type { PermissionCode, TenantName } from './truth.ts'
import type { Violation } from './violations.ts'

export type ChangeableReadings = Omit<ReadingsInput, 'documentOrder' | 'inactiveRoleState'>

export interface LiveOptions {
  /** Default 1. */
  readonly steps?: number
  readonly rates?: Partial<LifeRates>
  /** Default: both tenants. */
  readonly tenants?: readonly TenantName[]
}

export interface Simulator extends AsyncDisposable {
  readonly baseUrl: string
  /** Null without a control interface. */
  readonly controlUrl: string | null
  readonly tokenUrl: string
  readonly tokens: Readonly<Record<TokenName, string>>
  readonly credentials: Readonly<Record<TokenName, ClientCredentials>>
  readonly readings: Readings
  readonly primary: TenantControl
  readonly second: TenantControl
  readonly faults: FaultTable
  readonly requests: RequestLog
  readonly violations: readonly Violation[]
  tenant(name: TenantName): TenantControl
  state(name?: TenantName): TenantState
  setReadings(readings: ChangeableReadings): void
  live(options?: LiveOptions): LifeEvent[]
  /** Moves the token, and tokens issued for its client, to the other tenant (or the named one). */
  swapTenant(token: TokenName, tenant?: TenantName): void
  revokeToken(token: TokenName): void
  restoreToken(token: TokenName): void
  rotateToken(token: TokenName): string
  grantPermission(token: TokenName, permission: PermissionCode): void
  revokePermission(token: TokenName, permission: PermissionCode): void
  invalidateCursors(): void
  clearViolations(): void
  /** Calls and awaits the hook for each request before it is handled; returns a function that removes the hook. */
  onRequest(hook: RequestHook): () => void
  close(): Promise<void>
}

export function describeSimulator(simulator: Simulator): string[] {
  const { baseUrl, controlUrl, tokenUrl, tokens, credentials, readings, primary, second } = simulator
  const scheme = readings.tokenScheme === '' ? '' : `${readings.tokenScheme} `
  const sizes = [primary, second].map(
    ({ name, state }) => `${name}: ${state.userCount()} users, ${state.documentCount()} documents`,
  )
  return [
    `Base URL     ${baseUrl}`,
    `Control URL  ${controlUrl ?? 'none'}`,
    `Token URL    ${tokenUrl}`,
    `Header       ${readings.tokenHeader}: ${scheme}<token>`,
    `Tenants      ${sizes.join('; ')}`,
    'Tokens and their tenants (reader for a first configuration)',
    ...tokenNames().map((name) => `  ${name.padEnd(20)} ${tokens[name]} ${tokenSeed(name).tenant}`),
    'Client ids of their API clients (for ownClientId)',
    ...tokenNames().map((name) => `  ${`${name}.clientId`.padEnd(28)} ${credentials[name].clientId}`),
  ]
}
