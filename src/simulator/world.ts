import type { CursorCodec } from './cursors.ts'
import type { Readings } from './readings.ts'
import type { Tenant } from './tenant.ts'
import type { TokenTable } from './tokens.ts'
import type { TenantName } from './truth.ts'

export interface World {
  readonly seed: number
  /** Epoch milliseconds. */
  readonly clock: () => number
  readings: Readings
  readonly tenants: Readonly<Record<TenantName, Tenant>>
  readonly tokens: TokenTable
  readonly cursors: CursorCodec
  readonly oauthTokenSeconds: number
  /** Number of responses sent. */
  responses: number
  /** Seed of response ids, which differ after each start. */
  readonly responseSeed: number
}
