import type { WaiverState } from '../posture.ts'

/** Something of a tenant that ends by itself; times are milliseconds since the epoch. */
export type Deadline = SecretDeadline | WaiverDeadline

export interface SecretDeadline {
  readonly kind: 'secret'
  readonly tenant: string
  /** The client's id. */
  readonly id: string
  readonly name: string | null
  readonly role: string | null
  /** True for the API client that the daemon itself is: then the watch goes blind. */
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
