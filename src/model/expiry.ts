import type { TenantPosture, WaiverView } from './posture.ts'
import { withoutEmails } from './text/redact.ts'

export interface SecretView {
  /** A GUID in lower case, any other id as sent. */
  readonly clientId: string
  readonly name: string | null
  readonly role: string | null
  /** Infinity = never. */
  readonly expiresAt: number
  /** True for the client that tenantwatch itself uses. */
  readonly own: boolean
}

/** A name or role name may contain an e-mail address. */
export function withoutSecretDetails<T extends Pick<SecretView, 'name' | 'role'>>(secret: T): T {
  const { name, role } = secret
  return { ...secret, name: name && withoutEmails(name), role: role && withoutEmails(role) }
}

export interface SecretExpiry extends Pick<SecretView, 'name' | 'role' | 'own'> {
  readonly kind: 'secret'
  readonly tenant: string
  readonly id: string
  readonly at: number
}

export interface WaiverExpiry extends Pick<WaiverView, 'id' | 'check' | 'entity' | 'owner' | 'reason' | 'state'> {
  readonly kind: 'waiver'
  readonly tenant: string
  readonly at: number
}

/** When a secret or a waiver ends; `at` in milliseconds since the epoch. */
export type Expiry = SecretExpiry | WaiverExpiry

/** Of secrets that were read and of waivers, also of those that have ended. */
export function expiriesOf(
  { tenant, waivers }: Pick<TenantPosture, 'tenant' | 'waivers'>,
  secrets: readonly SecretView[],
): readonly Expiry[] {
  return [
    ...secrets.map(({ clientId: id, expiresAt: at, ...secret }) => {
      return { kind: 'secret' as const, tenant, id, ...secret, at }
    }),
    ...waivers.map(({ id, check, entity, owner, reason, state, expiresAt: at }) => {
      return { kind: 'waiver' as const, tenant, id, check, entity, owner, reason, state, at }
    }),
  ]
}

/** The name of an API client, else its id; the id of a waiver. */
export function expiryName(expiry: Expiry): string {
  if (expiry.kind === 'waiver') return expiry.id
  return `${expiry.own ? 'tenantwatch itself: ' : ''}${expiry.name ?? expiry.id}`
}
