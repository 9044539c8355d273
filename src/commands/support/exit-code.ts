import { isUnknown } from '../../model/describe.ts'
import type { CheckView, TenantPosture } from '../../model/posture.ts'
import { moreMayFail } from '../../model/posture-state.ts'
import { exitCodes } from '../../model/process/io.ts'
import type { RunResult } from '../../model/run-result.ts'
import { isAtLeast, type Severity, severities, total } from '../../model/severity.ts'
import { plural } from '../../model/text/words.ts'

interface Outcome {
  readonly results: readonly Pick<RunResult, 'tenant' | 'resource' | 'outcome' | 'reason'>[]
  readonly postures: readonly TenantPosture[]
  readonly failOn: Severity | undefined
}

/**
 * Failures, holds and unknown checks take precedence over findings (docs/daily-work.md#exit-codes). The cause is the last
 * line on standard error with `--fail-on`; null for 0.
 */
export function exitCodeOf({ results, postures, failOn }: Outcome) {
  if (failOn === undefined) {
    const isFailed = results.some(isFailure) || postures.some(({ holds }) => holds.length > 0)
    return { code: isFailed ? exitCodes.failed : exitCodes.ok, cause: null }
  }
  const counted = severities.filter((severity) => isAtLeast(severity, failOn))
  const failed = postures.flatMap((posture) => [...failuresOf(posture, results, counted)])
  const found = failed.length > 0 ? failed : postures.flatMap((posture) => foundIn(posture, failOn, counted))
  if (found.length === 0) return { code: exitCodes.ok, cause: null }
  const code = failed.length > 0 ? exitCodes.failed : exitCodes.findings
  return { code, cause: `Exit code ${code}: ${found.join(', ')}` }
}

function* failuresOf(
  { tenant, holds, checks }: TenantPosture,
  results: Outcome['results'],
  counted: readonly Severity[],
): Generator<string> {
  for (const { resource } of holds) yield `${resource === 'all' ? tenant : `${tenant} ${resource}`} is on hold`
  const unknown = checks.filter((view) => isUnknown(view) || mayFailUnseen(view, counted)).length
  if (unknown > 0) yield `${tenant} has ${plural(unknown, 'unknown check')}`
  const isHeld = (name: string) => holds.some(({ resource }) => resource === 'all' || resource === name)
  const failed = results.filter((one) => one.tenant === tenant && isFailure(one) && !isHeld(one.resource))
  if (failed.length > 0) yield `${tenant} has ${plural(failed.length, 'failed run')}`
}

/** True for a check that only fails below these severities while others may fail with one of them. */
function mayFailUnseen(view: CheckView, counted: readonly Severity[]): boolean {
  const isSevere = view.severities.some((one) => counted.includes(one))
  return moreMayFail(view) !== null && isSevere && total(view.open, counted) === 0
}

/** A skipped run counts as the last one of its kind. */
const isFailure = ({ outcome, reason }: Pick<RunResult, 'outcome' | 'reason'>) =>
  outcome === 'failure' || (outcome === 'skipped' && reason !== null)

function foundIn({ tenant, checks }: TenantPosture, failOn: Severity, counted: readonly Severity[]): readonly string[] {
  const count = checks.reduce((sum, { enabled, open }) => sum + (enabled ? total(open, counted) : 0), 0)
  return count === 0 ? [] : [`${tenant} has ${plural(count, 'open finding')} at or above ${failOn}`]
}
