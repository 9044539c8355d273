import type { Waiver } from '../config/settings.ts'
import type { FindingStore, VerdictResult } from '../mirror/port.ts'
import type { Log } from '../model/log.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { AskBudget } from './ask-budget.ts'
import type { Check } from './check.ts'
import type { JudgedTenant, TenantTrust } from './tenant-trust.ts'
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
  /** All waivers of the configuration; absent = there are none to be told of. */
  readonly waivers?: readonly Waiver[]
  /** For how long a verdict is shown without being confirmed, in milliseconds; absent = 15 minutes. */
  readonly currentForMs?: number
  /** Told what the trust in the mirror hangs on now, before anything is judged by it. */
  readonly onTrust?: (trust: TenantTrust) => Promise<void>
  /** What own checks may take of the time; absent = all that they want. */
  readonly askBudget?: AskBudget
  /** True when there may be checks that are not listed: the findings of such stay open. */
  readonly keepUnlisted?: boolean
  readonly signal?: AbortSignal
}

/** What became of one check. */
export interface CheckOutcome extends VerdictResult {
  readonly check: string
}
