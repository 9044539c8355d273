import type { RecordReader } from '../mirror/records/query.ts'
import type { Check } from './check.ts'
import type { TenantDataQuality } from './data-quality.ts'
import type { EvaluateTenant } from './evaluation.ts'

export interface CheckRun {
  readonly check: Check
  readonly request: EvaluateTenant
  readonly quality: TenantDataQuality
  readonly reader: RecordReader
}
