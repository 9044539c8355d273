import { type DecidedStatus, decideStatus, type Resolution } from '../model/check-status.ts'
import { reasonOf } from '../model/errors.ts'
import type { UnknownReason } from '../model/reasons.ts'
import { total } from '../model/severity.ts'
import type { CheckResult, FindingStore, ResolvedFinding } from '../store/port.ts'
import type { CheckRun } from './check-run.ts'
import type { CheckTally } from './check-tally.ts'
import { findingChanges } from './findings/finding-changes.ts'

/** Of a result that changes no finding. */
export const noChanges = { written: [], resolved: [], lapsed: [] } as const

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

interface CloseFindings {
  readonly now: number
  readonly isKept: (check: string) => boolean
  readonly resolution: Resolution
}

/** Ends the results and findings of the checks that are not to be kept: they are `unknown` as if never evaluated. */
export async function closeFindings(
  store: FindingStore,
  tenantId: number,
  { now, isKept, resolution }: CloseFindings,
): Promise<readonly CheckResult[]> {
  const states = (await store.checkStates(tenantId)).filter(({ check }) => !isKept(check))
  // Without findings, too: a replica that has the check switched on would show a result that nobody renews.
  const closed = states.filter(({ open, status }) => total(open) > 0 || status !== 'unknown')
  const results: CheckResult[] = []
  for (const { check } of closed) {
    const resolved: ResolvedFinding[] = []
    for await (const batch of store.openDigests(tenantId, check))
      for (const { fingerprint, severity } of batch) resolved.push({ fingerprint, severity, resolution })
    results.push({ ...nothing, check, resolved })
  }
  if (results.length > 0) await store.saveResults(tenantId, now, { results })
  return results
}

const nothing = {
  status: 'unknown',
  reason: 'never',
  entities: null,
  notEvaluated: null,
  rule: null,
  changesAt: null,
  basis: null,
  open: {},
  problem: null,
  ...noChanges,
} as const

/** Ends the findings of tenants that were removed from the configuration. */
export async function closeTenants(store: FindingStore, removed: readonly string[], now: number): Promise<void> {
  const names = new Set(removed)
  for (const { id, name } of await store.tenants()) {
    if (names.has(name)) await closeFindings(store, id, { now, isKept: () => false, resolution: 'tenant_removed' })
  }
}
