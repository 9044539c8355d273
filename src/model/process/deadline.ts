import type { WaiverState } from '../posture.ts'

export type Deadline = SecretDeadline | WaiverDeadline

export interface SecretDeadline {
  readonly kind: 'secret'
  readonly tenant: string
  readonly id: string
  readonly name: string | null
  readonly role: string | null
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
  readonly at: number
}
