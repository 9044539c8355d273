import type { HoldView } from './posture.ts'

export const ownClientRemedy =
  'Set ownClientId to the API client whose token is configured, or configure the token of the client in ownClientId'

/** Advice for a hold that cannot be accepted; null for other holds (docs/operations.md#holds). */
export function remedyOf({ resource, reason }: Pick<HoldView, 'resource' | 'reason'>): string | null {
  return reason === 'tenant_changed' && resource !== 'all' ? ownClientRemedy : null
}
