import { reasonOf } from '../model/errors.ts'
import { minFreshnessMs } from '../model/freshness.ts'
import type { CheckResult, ResultBatch } from '../store/port.ts'
import { type Check, CheckFailed, inputsOf } from './check.ts'
import { settingsOf } from './check-settings.ts'
import { readDataQuality } from './data-quality.ts'
import { basisOf, checkResultOf, failedResult, keepFirstStates } from './evaluate-check.ts'
import type { CheckOutcome, CheckRun, EvaluateTenant } from './evaluation.ts'
import { closeFindings } from './findings/close-findings.ts'
import { BudgetExceeded } from './query-budget.ts'
import type { Validity } from './result-memory.ts'
import { noteWaivers } from './waivers/note-waivers.ts'

/**
 * A check that throws becomes `unknown` and keeps its findings. The outcomes omit checks that were postponed or not
 * stored.
 *
 * @throws when the mirror cannot be read or written, and the signal's reason when aborted.
 */
export async function evaluateTenant(request: EvaluateTenant): Promise<readonly CheckOutcome[]> {
  const { store, tenant, checks, now, onlyInputs } = request
  const quality = await readDataQuality(store, tenant, now)
  await request.onDataQuality?.(quality)
  await noteWaivers({ store, tenant, checks, waivers: request.waivers ?? [], now })
  const outcomes: CheckOutcome[] = []
  const batch = store.resultBatch()
  const kept: (() => void)[] = []
  for (const check of checks.filter((one) => isDue(one, request))) {
    request.signal?.throwIfAborted()
    // The query of an own check may take long: commit first, so that the earlier results are shown meanwhile.
    if (check.own !== undefined) await batch.commit()
    const run = { check, request, quality, reader: store.records(tenant.id) }
    const outcome = (await repeated(run)) ?? (await evaluateIsolated(run, batch, (keep) => kept.push(keep)))
    if (outcome !== null) outcomes.push(outcome)
  }
  await batch.commit()
  for (const keep of kept) keep()
  if (onlyInputs !== undefined) return outcomes
  const enabled = new Set(checks.filter((check) => settingsOf(check, tenant.settings).enabled).map(({ id }) => id))
  if (request.keepUnlisted === true) for (const id of await unlisted(request)) enabled.add(id)
  const ending = { status: 'unknown', reason: 'never', resolution: 'check_disabled' } as const
  const closed = await closeFindings({ store, tenantId: tenant.id, now, keep: enabled, ending })
  for (const { check } of closed) request.memory?.forget(tenant.id, check)
  return [...outcomes, ...closed]
}

async function unlisted({ store, tenant, checks }: EvaluateTenant): Promise<readonly string[]> {
  const listed = new Set(checks.map(({ id }) => id))
  return (await store.checkStates(tenant.id)).map(({ check }) => check).filter((id) => !listed.has(id))
}

function isDue(check: Check, { tenant, onlyInputs, beingRead = [] }: EvaluateTenant): boolean {
  if (!settingsOf(check, tenant.settings).enabled) return false
  if (onlyInputs === undefined) return true
  const inputs = inputsOf(check)
  return inputs.some((input) => onlyInputs.includes(input)) && !inputs.some((input) => beingRead.includes(input))
}

async function repeated(run: CheckRun): Promise<CheckOutcome | null> {
  const { check, request } = run
  const { store, tenant, now, memory } = request
  const status = memory?.recall(tenant.id, check.id, await basisOf(run), now)
  if (status === undefined) return null
  await store.confirmResult(tenant.id, check.id, now, request.currentForMs)
  return { check: check.id, ...status, opened: 0, resolved: {} }
}

/** `onceCommitted` registers what to remember once the result is committed. */
async function evaluateIsolated(
  run: CheckRun,
  batch: ResultBatch,
  onceCommitted: (remember: () => void) => void,
): Promise<CheckOutcome | null> {
  const { check, request } = run
  const { store, signal, memory, tenant } = request
  memory?.forget(tenant.id, check.id)
  const log = request.log.child({ tenant: request.tenant.settings.name, check: check.id })
  try {
    await keepFirstStates(run)
    const basis = await basisOf(run)
    const { ages, notEvaluatedIds, ...checkResult } = await checkResultOf(run)
    await store.noteProblem(tenant.id, check.id, notEvaluatedIds)
    const outcome = await add(batch, checkResult)
    const validity = validityOf(request, ages, outcome)
    if (validity !== null) onceCommitted(() => memory?.keep(tenant.id, check.id, basis, outcome, validity))
    return outcome
  } catch (error) {
    signal?.throwIfAborted()
    if (endsEvaluation(error)) throw error
    if (error instanceof BudgetExceeded) return null
    if (error instanceof CheckFailed) return addFailed(run, error, batch, onceCommitted)
    log.error({ err: error }, 'Check could not be evaluated')
  }
  try {
    return await add(batch, failedResult(run, 'internal'))
  } catch (error) {
    if (endsEvaluation(error)) throw error
    log.error({ err: error }, 'Check result could not be stored')
    return null
  }
}

/** True for an error that affects every check: one of the mirror, or that another replica has taken the tenant. */
function endsEvaluation(error: unknown): boolean {
  return ['aborted', 'store'].includes(reasonOf(error))
}

/** Remembers the failure, so that a slow failing query runs again only after its inputs changed. */
async function addFailed(
  run: CheckRun,
  { message }: CheckFailed,
  batch: ResultBatch,
  onceCommitted: (remember: () => void) => void,
): Promise<CheckOutcome> {
  const { check, request } = run
  const { store, tenant, memory, log } = request
  log.warn({ tenant: tenant.settings.name, check: check.id, detail: message }, 'Own check could not be evaluated')
  await store.noteProblem(tenant.id, check.id, message)
  const basis = await basisOf(run)
  const outcome = await add(batch, failedResult(run, 'check_failed'))
  onceCommitted(() => memory?.keep(tenant.id, check.id, basis, outcome, always))
  return outcome
}

const always: Validity = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }

/** Null if the result is only known for this instant. */
function validityOf({ now, currentForMs = minFreshnessMs }: EvaluateTenant, ages: boolean, outcome: CheckOutcome) {
  if (!ages) return always
  return outcome.validUntil === undefined
    ? null
    : { from: now, until: Math.min(outcome.validUntil, now + currentForMs) }
}

async function add(batch: ResultBatch, checkResult: CheckResult): Promise<CheckOutcome> {
  return { check: checkResult.check, ...(await batch.add(checkResult)) }
}
