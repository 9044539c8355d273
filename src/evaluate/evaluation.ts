import type { Waiver } from '../config/settings.ts'
import type { Log } from '../model/log.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { CommittedResult, FindingStore } from '../store/port.ts'
import type { RecordReader } from '../store/records/query.ts'
import type { Check } from './check.ts'
import type { EvaluatedTenant, TenantDataQuality } from './data-quality.ts'
import type { OwnQueries } from './own-query.ts'
import type { QueryBudget } from './query-budget.ts'
import type { ResultMemory } from './result-memory.ts'

export interface EvaluateTenant {
  readonly store: FindingStore
  readonly tenant: EvaluatedTenant
  readonly checks: readonly Check[]
  readonly now: number
  readonly log: Log
  /** Absent = evaluate all checks, and close findings of disabled ones. */
  readonly onlyInputs?: readonly ResourceName[]
  /** Resources that runs are reading now: with `onlyInputs`, a check that needs one is evaluated after its run. */
  readonly beingRead?: readonly ResourceName[]
  readonly memory?: ResultMemory
  readonly waivers?: readonly Waiver[]
  /** In milliseconds; absent = 15 minutes. */
  readonly currentForMs?: number
  readonly onDataQuality?: (quality: TenantDataQuality) => Promise<void>
  /** Needed for own checks. */
  readonly ownQueries?: OwnQueries
  /** Absent = unlimited. */
  readonly queryBudget?: QueryBudget
  /** Does not close findings of checks that are not listed. */
  readonly keepUnlisted?: boolean
  readonly signal?: AbortSignal
}

export interface CheckOutcome extends CommittedResult {
  readonly check: string
}

export interface CheckRun {
  readonly check: Check
  readonly request: EvaluateTenant
  readonly quality: TenantDataQuality
  readonly reader: RecordReader
}
