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
  /** Evaluate only checks that read one of these; absent = all, and close findings of disabled checks. */
  readonly onlyInputs?: readonly ResourceName[]
  /** Skips checks with unchanged inputs; absent = all are evaluated. */
  readonly memory?: ResultMemory
  readonly waivers?: readonly Waiver[]
  /** How long an unconfirmed check result is shown, in milliseconds; absent = 15 minutes. */
  readonly currentForMs?: number
  /** Called with the data quality before any check is evaluated. */
  readonly onDataQuality?: (quality: TenantDataQuality) => Promise<void>
  /** Limits the time of own checks; absent = unlimited. */
  readonly queryBudget?: QueryBudget
  /** Keeps findings of checks that are not listed open. */
  readonly keepUnlisted?: boolean
  readonly signal?: AbortSignal
}

export interface CheckOutcome extends CommittedResult {
  readonly check: string
}
