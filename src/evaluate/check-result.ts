import { decideStatus, type RawResult } from '../model/decide-status.ts'
import type { UnknownReason } from '../model/reasons.ts'
import type { CheckResult } from '../store/port.ts'
import { type CheckOutcome, type FindingTransition, mostNamed } from './check-outcome.ts'
import type { CheckRun } from './check-run.ts'
import type { CheckTally } from './check-tally.ts'
import { findingChanges } from './findings/finding-changes.ts'
import type { OpenFindings } from './findings/open-findings.ts'

export interface NewResult {
  readonly result: CheckResult
  readonly outcome: CheckOutcome
}

/**
 * The result of a check whose entities were evaluated.
 *
 * @param open the findings of the check that are open before.
 * @param problem see `CheckResult`.
 */
export function evaluatedResult(
  run: CheckRun,
  open: OpenFindings,
  tally: CheckTally,
  problem: string | null,
): Promise<NewResult> {
  return resultOf(run, open, { tally, rawResult: rawResultOf(tally), problem })
}

/** The result of a check that could not be evaluated; it opens no finding. */
export function unevaluatedResult(
  run: CheckRun,
  open: OpenFindings,
  reason: Extract<UnknownReason, 'check_failed' | 'internal' | 'never'>,
  problem: string | null = null,
): Promise<NewResult> {
  return resultOf(run, open, { tally: null, rawResult: { kind: 'unevaluated', reason }, problem })
}

interface Evaluated {
  readonly tally: CheckTally | null
  readonly rawResult: RawResult
  readonly problem: string | null
}

async function resultOf(
  run: CheckRun,
  before: OpenFindings,
  { tally, rawResult, problem }: Evaluated,
): Promise<NewResult> {
  const { check, inputs } = run
  const changes = await findingChanges(run, tally, before)
  const decided = decideStatus({ rawResult, inputs, timeBased: check.timeBased })
  // Null before the first complete full sync: the count would be partial.
  const counted = inputs[0]?.everComplete === true ? tally : null
  const changesAt = tally === null || !Number.isFinite(tally.until) ? null : tally.until
  const result: CheckResult = {
    check: check.id,
    ...decided,
    entities: counted?.population ?? null,
    notEvaluated: counted?.notEvaluated ?? null,
    rule: tally === null ? null : run.rule,
    validUntil: decided.status === 'unknown' || changesAt === null ? null : changesAt - 1,
    ...changes,
    problem,
  }
  return { result, outcome: outcomeOf(result, changesAt) }
}

function rawResultOf(tally: CheckTally): RawResult {
  if (tally.failing > 0) return { kind: 'fails' }
  if (tally.notEvaluated > 0) return { kind: 'unevaluated', reason: tally.notEvaluatedFor }
  return tally.isApplicable ? { kind: 'passes' } : { kind: 'not_applicable' }
}

/** @param changesAt first instant at which time alone changes the result; null = never. */
export function outcomeOf(result: CheckResult, changesAt: number | null): CheckOutcome {
  const { check, status, reason, written, resolved, waivers } = result
  const resolutions: Record<string, number> = {}
  const count = (resolution: string) => {
    resolutions[resolution] = (resolutions[resolution] ?? 0) + 1
  }
  for (const { resolution } of resolved) count(resolution)
  for (const { replacesOpen } of written) if (replacesOpen) count('entity_removed')
  const opened = written.filter(({ kind }) => kind !== 'changed').length
  const transitions = [...transitionsOf(result)].slice(0, mostNamed)
  return {
    check,
    status,
    reason,
    opened,
    resolved: resolutions,
    changesAt,
    transitions,
    lapsed: waivers.lapsed.slice(0, mostNamed),
  }
}

function* transitionsOf({ written, resolved }: CheckResult): Generator<FindingTransition> {
  for (const { fingerprint, severity, kind, replacesOpen } of written) {
    if (replacesOpen) yield { fingerprint, kind: 'resolved', severity, resolution: 'entity_removed' }
    if (kind !== 'changed')
      yield { fingerprint, kind: kind === 'replaced' ? 'opened' : kind, severity, resolution: null }
  }
  for (const { fingerprint, severity, resolution } of resolved)
    yield { fingerprint, kind: 'resolved', severity, resolution }
}
