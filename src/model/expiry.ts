import type { WaiverState } from './posture.ts'

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
