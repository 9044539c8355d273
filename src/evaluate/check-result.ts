import { type DecidedStatus, decideStatus } from '../model/check-status.ts'
import { reasonOf } from '../model/errors.ts'
import type { UnknownReason } from '../model/reasons.ts'
import type { CheckResult } from '../store/port.ts'
import type { CheckRun } from './check-run.ts'
import type { CheckTally } from './check-tally.ts'
import { findingChanges } from './findings/finding-changes.ts'

/** Of a result that changes no finding. */
export const noChanges = { written: [], resolved: [], waivers: { accepted: [], lapsed: [] } } as const

/** The result of a check whose entities were evaluated. @param problem see `CheckResult`. */
export function evaluatedResult(run: CheckRun, tally: CheckTally, problem: string | null): Promise<CheckResult> {
  return resultOf(run, tally, statusOf(tally), problem)
}

/** The result of a check that could not be evaluated; it opens no finding. */
export function unevaluatedResult(
  run: CheckRun,
  reason: Extract<UnknownReason, 'check_failed' | 'internal' | 'never'>,
  problem: string | null = null,
): Promise<CheckResult> {
  return resultOf(run, null, { status: 'unknown', reason }, problem)
}

/** The check is `unknown` and keeps its findings. @throws an error that affects every check. */
export async function internalError(run: CheckRun, error: unknown): Promise<CheckResult> {
  const { check, request } = run
  request.signal?.throwIfAborted()
  // The mirror fails, or another replica has taken the tenant.
  if (['aborted', 'store'].includes(reasonOf(error))) throw error
  request.log.error(
    { tenant: request.tenant.settings.name, check: check.id, err: error },
    'Check could not be evaluated',
  )
  return unevaluatedResult(run, 'internal')
}

async function resultOf(
  run: CheckRun,
  tally: CheckTally | null,
  found: DecidedStatus,
  problem: string | null,
): Promise<CheckResult> {
  const { check, inputs } = run
  // The same inputs give another result once an error is gone, and a query does not say until when its answer holds.
  const isRepeatable = tally === null ? found.reason !== 'internal' : check.own === undefined || !check.timeBased
  const changes = await findingChanges(run, tally)
  const decided = decideStatus({ found, inputs, timeBased: check.timeBased })
  // Null before the first complete full sync: the count would be partial.
  const counted = inputs[0]?.everComplete === true ? tally : null
  return {
    check: check.id,
    ...decided,
    entities: counted?.population ?? null,
    notEvaluated: counted?.notEvaluated ?? null,
    rule: tally === null ? null : run.rule,
    changesAt: tally === null || !Number.isFinite(tally.until) ? null : tally.until,
    basis: isRepeatable ? run.basis : null,
    ...changes,
    problem,
  }
}

function statusOf(tally: CheckTally): DecidedStatus {
  if (tally.failing > 0) return { status: 'fail', reason: null }
  if (tally.notEvaluated > 0) return { status: 'unknown', reason: tally.notEvaluatedFor }
  return { status: tally.isApplicable ? 'pass' : 'not_applicable', reason: null }
}
