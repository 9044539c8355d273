import type { TenantPosture } from '../../model/posture.ts'
import { type ExitCode, exitCodes, type Io } from '../../model/process/io.ts'
import type { Severity } from '../../model/severity.ts'
import { failedCause, foundCause } from '../../report/findings-notes.ts'
import type { RunResult } from '../../sync/observer.ts'
import { note } from './io.ts'

interface Outcome {
  readonly results: readonly Pick<RunResult, 'tenant' | 'resource' | 'outcome'>[]
  readonly postures: readonly TenantPosture[]
  readonly failOn: Severity | undefined
}

/**
 * The exit code of a round (docs/operations.md#exit-codes): failures and unknown checks take precedence over findings. With
 * `--fail-on` the last line on standard error is its cause.
 */
export function exitCodeOf(io: Io, { results, postures, failOn }: Outcome): ExitCode {
  if (failOn === undefined) {
    const isFailed = results.some(isFailure) || postures.some(({ holds }) => holds.length > 0)
    return isFailed ? exitCodes.failed : exitCodes.ok
  }
  const failed = failedCause(postures, results.filter(isFailure))
  const found = foundCause(postures, failOn)
  if (failed === null && found === null) return exitCodes.ok
  const code = failed === null ? exitCodes.findings : exitCodes.failed
  note(io, `Exit code ${code}: ${failed ?? found}`)
  return code
}

const isFailure = ({ outcome }: Pick<RunResult, 'outcome'>) => outcome === 'failure'
