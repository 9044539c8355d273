import type { CursorCodec } from './cursors.ts'
import type { Readings } from './readings.ts'
import type { Tenant } from './tenant.ts'
import type { TokenTable } from './tokens.ts'
import type { TenantName } from './truth.ts'

/** Everything the endpoints work on. */
export interface World {
  readonly seed: number
  /** Epoch milliseconds. */
  readonly clock: () => number
  readings: Readings
  readonly tenants: Readonly<Record<TenantName, Tenant>>
  readonly tokens: TokenTable
  readonly cursors: CursorCodec
  readonly oauthTokenSeconds: number
  /** Counts responses; feeds request ids and whatever alternates between calls. */
  responses: number
}
