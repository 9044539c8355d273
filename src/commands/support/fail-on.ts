import type { TenantPosture } from '../../model/posture.ts'
import { type ExitCode, exitCodes } from '../../model/process/io.ts'
import { isAtLeast, type Severity } from '../../model/severity.ts'
import type { RunResult } from '../../sync/observer.ts'

/** The exit code of a round (docs/operations.md#exit-codes): failures and unknown checks take precedence over findings. */
export function exitCodeOf(
  results: readonly RunResult[],
  postures: readonly TenantPosture[],
  failOn: Severity | undefined,
): ExitCode {
  if (results.some(({ outcome }) => outcome === 'failure')) return exitCodes.failed
  if (postures.some(({ holds }) => holds.length > 0)) return exitCodes.failed
  if (failOn === undefined) return exitCodes.ok
  const checks = postures.flatMap((posture) => posture.checks).filter(({ enabled }) => enabled)
  if (checks.some(({ status }) => status === 'unknown')) return exitCodes.failed
  const open = checks.flatMap((check) => Object.entries(check.open) as [Severity, number][])
  return open.some(([severity, count]) => count > 0 && isAtLeast(severity, failOn)) ? exitCodes.findings : exitCodes.ok
}
