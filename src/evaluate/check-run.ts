import type { RecordReader } from '../mirror/records/query.ts'
import type { Check } from './check.ts'
import type { TenantDataQuality } from './data-quality.ts'
import type { EvaluateTenant } from './evaluation.ts'

/** One check on its way to a check result. */
export interface CheckRun {
  readonly check: Check
  readonly request: EvaluateTenant
  readonly quality: TenantDataQuality
  readonly reader: RecordReader
}
