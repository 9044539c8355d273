import type { FindingStore, VerdictResult } from '../mirror/port.ts'
import type { Log } from '../model/log.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { Check } from './check.ts'
import type { JudgedTenant } from './tenant-trust.ts'
import type { VerdictMemory } from './verdict-memory.ts'

export interface EvaluateTenant {
  readonly store: FindingStore
  readonly tenant: JudgedTenant
  readonly checks: readonly Check[]
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly log: Log
  /** Only checks that read one of these; absent = all, and findings of disabled checks are closed. */
  readonly onlyInputs?: readonly ResourceName[]
  /** Spares judging again what nothing has changed of since; absent = everything is judged. */
  readonly memory?: VerdictMemory
  readonly signal?: AbortSignal
}

/** What became of one check. */
export interface CheckOutcome extends VerdictResult {
  readonly check: string
}
