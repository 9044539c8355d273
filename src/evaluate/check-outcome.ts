import type { Resolution } from '../model/check-status.ts'
import type { DecidedStatus } from '../model/decide-status.ts'

/** What an evaluation changed about a check. */
export interface CheckOutcome extends DecidedStatus {
  readonly check: string
  /** First instant at which time alone changes the result, in milliseconds since the epoch; null = never. */
  readonly changesAt: number | null
  readonly opened: number
  readonly resolved: Readonly<Partial<Record<Resolution, number>>>
}
