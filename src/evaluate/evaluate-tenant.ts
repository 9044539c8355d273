import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import type { RecordCounts } from '../store/port.ts'
import type { MirrorRecord } from '../store/records/query.ts'
import { type Check, inputsOf } from './check.ts'
import type { CheckOutcome } from './check-outcome.ts'
import { basisOf, type CheckRun, checkRun, type EvaluateTenant, isEvaluable, keepFirstStates } from './check-run.ts'
import { settingsOf } from './check-settings.ts'
import { readDataQuality } from './data-quality.ts'
import { evaluateQuery } from './evaluate-query.ts'
import { type Counting, type DueCheck, type EvaluatedCheck, evaluateResource } from './evaluate-resource.ts'
import { closeFindings } from './findings/close-findings.ts'
import { agreeWaivers } from './waivers/agree-waivers.ts'

/**
 * A check that throws becomes `unknown` and keeps its findings. The outcomes omit checks that were postponed.
 *
 * @throws when the mirror cannot be read or written, and the signal's reason when aborted.
 */
export async function evaluateTenant(request: EvaluateTenant): Promise<readonly CheckOutcome[]> {
  const { store, tenant, checks, now } = request
  const quality = await readDataQuality(store, tenant, now)
  await request.onDataQuality?.(quality)
  const noted = await agreeWaivers({ store, tenant, checks, waivers: request.waivers ?? [], now })
  const runs = checks.filter((one) => isDue(one, request)).map((check) => checkRun(check, request, { quality, noted }))
  const { due, repeated } = await dueChecks(request, runs)
  await store.confirmResults(
    tenant.id,
    repeated.map(({ check }) => check),
    now,
    request.currentForMs,
  )
  const outcomes = [...repeated, ...(await evaluateRecords(request, due))]
  // The query of an own check may take long: the other results are shown meanwhile.
  for (const one of due) {
    if (one.run.check.query === undefined) continue
    const found = await evaluateQuery(one.run)
    if (found === null) continue
    await store.saveResults(tenant.id, now, { results: [found.result], currentForMs: request.currentForMs })
    outcomes.push(found.outcome)
    if (found.isRepeatable) request.memory?.keep(tenant.id, one.basis, found.outcome, now)
  }
  return request.onlyInputs === undefined ? [...outcomes, ...(await closeDisabled(request))] : outcomes
}

function isDue(check: Check, { tenant, onlyInputs, beingRead = [] }: EvaluateTenant): boolean {
  if (!settingsOf(check, tenant.settings).enabled) return false
  if (onlyInputs === undefined) return true
  const inputs = inputsOf(check)
  return inputs.some((input) => onlyInputs.includes(input)) && !inputs.some((input) => beingRead.includes(input))
}

/** Checks whose result may differ from the last one, and the outcomes of the others. */
async function dueChecks({ memory, tenant, now }: EvaluateTenant, runs: readonly CheckRun[]) {
  const due: DueCheck[] = []
  const repeated: CheckOutcome[] = []
  for (const run of runs) {
    await keepFirstStates(run)
    const basis = await basisOf(run)
    const known = memory?.recall(tenant.id, run.check.id, basis, now)
    if (known === undefined) due.push({ run, basis })
    else repeated.push(known)
  }
  return { due, repeated }
}

/** A pass over the records of each resource that a due check evaluates, then one transaction for all results. */
async function evaluateRecords(request: EvaluateTenant, due: readonly DueCheck[]): Promise<readonly CheckOutcome[]> {
  const { memory, now, store, tenant } = request
  const countings = resourceNames.map((resource) => dueCounting(request, resource))
  const byRecords = due.filter(({ run }) => run.check.query === undefined)
  const needed = await neededRecords(request, byRecords)
  const found: EvaluatedCheck[] = []
  const counts = new Map<ResourceName, RecordCounts>()
  for (const counting of countings) {
    const own = byRecords.filter(({ run }) => run.check.evaluates === counting.resource)
    const evaluated = await evaluateResource(request, { counting, needed, due: own })
    found.push(...evaluated.checks)
    if (evaluated.counts !== null) counts.set(counting.resource, evaluated.counts)
  }
  const results = found.map(({ result }) => result)
  if (results.length > 0 || counts.size > 0)
    await store.saveResults(tenant.id, now, { results, counts, currentForMs: request.currentForMs })
  for (const { basis, outcome } of found) memory?.keep(tenant.id, basis, outcome, now)
  for (const { resource, basis } of countings)
    if (counts.has(resource)) memory?.keep(tenant.id, basis, counted(resource), now)
  return found.map(({ outcome }) => outcome)
}

/** Records are counted again after each change. */
function dueCounting({ memory, now, onlyInputs, store, tenant }: EvaluateTenant, resource: ResourceName): Counting {
  const basis = String(store.dataVersion(tenant.id, resource))
  const isDue = onlyInputs === undefined || onlyInputs.includes(resource)
  const isKnown = memory?.recall(tenant.id, counted(resource).check, basis, now) !== undefined
  return { resource, basis, isDue: isDue && !isKnown }
}

/** The key of a counting in the memory of results. */
function counted(resource: ResourceName): CheckOutcome {
  const nothing = { opened: 0, resolved: {}, transitions: [], lapsed: [] }
  return { check: `count of ${resource}`, status: 'pass', reason: null, changesAt: null, ...nothing }
}

/** All records of the resources that due checks look up. */
async function neededRecords({ store, tenant }: EvaluateTenant, due: readonly DueCheck[]) {
  const needed = new Map<ResourceName, readonly MirrorRecord[]>()
  const runs = due.map(({ run }) => run).filter(isEvaluable)
  for (const resource of new Set(runs.flatMap(({ check }) => check.needs)))
    needed.set(resource, (await Array.fromAsync(store.records(tenant.id).select(resource))).flat())
  return needed
}

async function closeDisabled(request: EvaluateTenant): Promise<readonly CheckOutcome[]> {
  const { store, tenant, checks, now, memory } = request
  const keep = new Set(checks.filter((check) => settingsOf(check, tenant.settings).enabled).map(({ id }) => id))
  if (request.keepUnlisted === true) for (const id of await unlisted(request)) keep.add(id)
  const ending = { status: 'unknown', reason: 'never', resolution: 'check_disabled' } as const
  const closed = await closeFindings({ store, tenantId: tenant.id, now, keep, ending })
  for (const { check } of closed) memory?.forget(tenant.id, check)
  return closed
}

async function unlisted({ store, tenant, checks }: EvaluateTenant): Promise<readonly string[]> {
  const listed = new Set(checks.map(({ id }) => id))
  return (await store.checkStates(tenant.id)).map(({ check }) => check).filter((id) => !listed.has(id))
}
