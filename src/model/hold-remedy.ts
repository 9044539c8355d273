import type { HoldView } from './posture.ts'

export const ownClientRemedy =
  'Set ownClientId to the client that this daemon uses now, or give back the token of that client'

/**
 * What ends a hold that nobody can accept, without a full stop; null where an operator may. A list that lacks the client
 * that asks for it is not complete whoever says so: either the setting or the token is wrong (docs/operations.md#holds).
 */
export function remedyOf({ resource, reason }: Pick<HoldView, 'resource' | 'reason'>): string | null {
  return reason === 'tenant_changed' && resource !== 'all' ? ownClientRemedy : null
}
