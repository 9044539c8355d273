import type { Waiver } from '../config/settings.ts'
import type { CommittedResult, FindingStore } from '../mirror/port.ts'
import type { Log } from '../model/log.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { Check } from './check.ts'
import type { EvaluatedTenant, TenantDataQuality } from './data-quality.ts'
import type { QueryBudget } from './query-budget.ts'
import type { ResultMemory } from './result-memory.ts'

export interface EvaluateTenant {
  readonly store: FindingStore
  readonly tenant: EvaluatedTenant
  readonly checks: readonly Check[]
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly log: Log
  /** Only checks that read one of these; absent = all, and findings of disabled checks are closed. */
  readonly onlyInputs?: readonly ResourceName[]
  /** Spares evaluation again what nothing has changed of since; absent = everything is evaluated. */
  readonly memory?: ResultMemory
  /** All waivers of the configuration; absent = there are none to be told of. */
  readonly waivers?: readonly Waiver[]
  /** For how long a check result is shown without being confirmed, in milliseconds; absent = 15 minutes. */
  readonly currentForMs?: number
  /** Told what the trust in the mirror hangs on now, before anything is evaluated by it. */
  readonly onDataQuality?: (quality: TenantDataQuality) => Promise<void>
  /** What own checks may take of the time; absent = all that they want. */
  readonly queryBudget?: QueryBudget
  /** True when there may be checks that are not listed: the findings of such stay open. */
  readonly keepUnlisted?: boolean
  readonly signal?: AbortSignal
}

/** What became of one check. */
export interface CheckOutcome extends CommittedResult {
  readonly check: string
}
