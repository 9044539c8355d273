import type { Reason } from './reasons.ts'

export const ownClientRemedy =
  'Set ownClientId to the API client whose token is configured, or configure the token of the client in ownClientId'

export const deniedHint =
  'Give the token one of these permissions back, or switch those resources off; if it is the right token, see "tenantwatch accept"'
export const changedHint = 'Give back the right token or baseUrl; if the change is meant, see "tenantwatch accept"'

interface Caused {
  readonly cause: Readonly<Record<string, unknown>>
}

/** The cause of a hold because the list of API clients lacks `ownClientId`. */
export const ownClientCause = (ownClientId: string) => ({ check: 'own-client', ownClientId })

/** What ends a hold that cannot be accepted; null for other holds (docs/operations.md#holds). */
export function remedyOf({ cause }: Caused): string | null {
  return cause['check'] === 'own-client' ? ownClientRemedy : null
}

/** Whether the hold is about records that `tenantwatch accept HOLD --list` names. */
export function listsRecords(reason: Reason): boolean {
  return reason === 'shrink_held' || reason === 'suspect_empty'
}

/** True for a hold raised because no list that identifies the tenant could be read. */
export function isDenied({ cause }: Caused): boolean {
  return cause['check'] === 'denied'
}

/** What ends a `tenant_changed` hold. */
export function holdHint(hold: Caused): string {
  return remedyOf(hold) ?? (isDenied(hold) ? deniedHint : changedHint)
}
