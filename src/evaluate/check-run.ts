import type { RecordReader } from '../mirror/query.ts'
import type { Check } from './check.ts'
import type { EvaluateTenant } from './evaluation.ts'
import type { TenantTrust } from './tenant-trust.ts'

/** One check on its way to a verdict. */
export interface CheckRun {
  readonly check: Check
  readonly request: EvaluateTenant
  readonly trust: TenantTrust
  readonly reader: RecordReader
}
