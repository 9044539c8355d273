import type { WaiverState } from './posture.ts'
import { withoutEmails } from './text/redact-finding.ts'

export interface ClientSecret {
  /** A GUID in lower case, any other id as sent. */
  readonly clientId: string
  readonly name: string | null
  readonly role: string | null
  /** Infinity = never. */
  readonly expiresAt: number
}

export interface SecretView extends ClientSecret {
  readonly own: boolean
}

/** A name or role name may contain an e-mail address. */
export function withoutSecretDetails<T extends Pick<ClientSecret, 'name' | 'role'>>(secret: T): T {
  const { name, role } = secret
  return { ...secret, name: name && withoutEmails(name), role: role && withoutEmails(role) }
}

/** When a secret or a waiver ends; `at` in milliseconds since the epoch. */
export type Expiry = SecretExpiry | WaiverExpiry

export interface SecretExpiry {
  readonly kind: 'secret'
  readonly tenant: string
  readonly id: string
  readonly name: string | null
  readonly role: string | null
  readonly own: boolean
  readonly at: number
}

export interface WaiverExpiry {
  readonly kind: 'waiver'
  readonly tenant: string
  readonly id: string
  readonly check: string
  readonly entity: string
  readonly owner: string
  readonly reason: string
  readonly state: WaiverState
  readonly at: number
}
