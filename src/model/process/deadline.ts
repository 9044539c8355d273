import type { WaiverState } from '../posture.ts'

/** An expiry in a tenant; times are milliseconds since the epoch. */
export type Deadline = SecretDeadline | WaiverDeadline

export interface SecretDeadline {
  readonly kind: 'secret'
  readonly tenant: string
  readonly id: string
  readonly name: string | null
  readonly role: string | null
  /** True for tenantwatch's own API client: monitoring stops when its secret expires. */
  readonly own: boolean
  readonly at: number
}

export interface WaiverDeadline {
  readonly kind: 'waiver'
  readonly tenant: string
  readonly id: string
  readonly check: string
  readonly entity: string
  readonly owner: string
  readonly reason: string
  readonly state: WaiverState
  /** Last valid instant. */
  readonly at: number
}
