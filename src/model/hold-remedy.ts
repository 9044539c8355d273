import type { HoldView } from './posture.ts'

export const ownClientRemedy =
  'Set ownClientId to the API client whose token is configured, or configure the token of the client in ownClientId'

/**
 * Advice for a hold that an operator cannot accept, without a full stop; null for other holds. A list of API clients that
 * lacks tenantwatch's own client is incomplete, or the setting or the token is wrong (docs/operations.md#holds).
 */
export function remedyOf({ resource, reason }: Pick<HoldView, 'resource' | 'reason'>): string | null {
  return reason === 'tenant_changed' && resource !== 'all' ? ownClientRemedy : null
}
