import { isDeepStrictEqual } from 'node:util'
import type { ResourceDefinition } from '../model/resource.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import { resources } from '../resources/index.ts'
import type { CheckResult, CheckStateRow, VersionedCounts } from '../store/port.ts'
import type { RecordReader } from '../store/records/query.ts'
import { type Check, inputsOf, settingsOf } from './check.ts'
import { closeFindings, evaluatedResult, internalError, noChanges, unevaluatedResult } from './check-result.ts'
import {
  type CheckRun,
  checkRun,
  contextOf,
  type EvaluateTenant,
  isEvaluable,
  type NeededResource,
  readOpenFindings,
  tallyOf,
} from './check-run.ts'
import type { CheckTally } from './check-tally.ts'
import { readDataQuality, type TenantDataQuality } from './data-quality.ts'
import { evaluateQuery } from './evaluate-query.ts'
import { agreeWaivers } from './findings/waivers.ts'
import { countedFields, RecordTally } from './record-tally.ts'

interface Pass {
  readonly tallies: readonly CheckTally[]
  /** Null if the records were counted since their last change. */
  readonly counting: RecordTally | null
  readonly signal?: AbortSignal | undefined
}

/** Reads the live records of a resource once, in key order and slices, for all its checks. */
export async function readPass(
  reader: RecordReader,
  resource: ResourceName,
  { tallies, counting, signal }: Pass,
): Promise<void> {
  for await (const slice of reader.select(resource)) {
    signal?.throwIfAborted()
    if (counting !== null) for (const record of slice) counting.add(record)
    const keys = new Set(tallies.flatMap((tally) => tally.readingHistory(slice)))
    const changes = keys.size === 0 ? [] : await reader.history(resource, ...keys)
    const histories = Map.groupBy(changes, ({ key }) => key)
    for (const tally of tallies) tally.addSlice(slice, histories)
  }
  for (const tally of tallies) tally.addEnd()
}

/**
 * Yields each result once it is stored. A check that throws becomes `unknown` and keeps its findings.
 *
 * @throws when the mirror cannot be read or written, and the signal's reason when aborted.
 */
export async function* evaluateTenant(request: EvaluateTenant): AsyncGenerator<CheckResult, void> {
  const { store, tenant, checks, now } = request
  const quality = await readDataQuality(store, tenant, now)
  await request.onDataQuality?.(quality)
  const noted = await agreeWaivers(request)
  const due: CheckRun[] = []
  const repeated: CheckResult[] = []
  const stored = new Map((await store.checkStates(tenant.id)).map((state) => [state.check, state]))
  for (const check of checks.filter((one) => isDue(one, request))) {
    const run = await checkRun(check, request, { quality, noted })
    const state = stored.get(check.id)
    if (state !== undefined && isCurrent(state, run)) repeated.push({ ...state, ...noChanges })
    else due.push(run)
  }
  const names = repeated.map(({ check }) => check)
  await store.confirmResults(tenant.id, names, now, request.currentForMs)
  yield* repeated
  yield* await evaluateRecords(request, due, quality)
  // The query of an own check may take long: the other results are shown meanwhile.
  for (const run of due.filter(({ check }) => check.own !== undefined)) {
    const evaluated = await evaluateQuery(run)
    await saveResults(request, [evaluated])
    yield evaluated
  }
  if (request.onlyInputs === undefined) yield* await closeDisabled(request)
}

/** True if an evaluation would give the stored result again. */
function isCurrent({ basis, evaluatedAt, changesAt }: CheckStateRow, run: CheckRun): boolean {
  const { now } = run.request
  return basis === run.basis && evaluatedAt <= now && now < (changesAt ?? Number.POSITIVE_INFINITY)
}

function isDue(check: Check, { tenant, onlyInputs, beingRead = [] }: EvaluateTenant): boolean {
  if (!settingsOf(check, tenant.settings).enabled) return false
  if (onlyInputs === undefined) return true
  const inputs = inputsOf(check)
  return inputs.some((input) => onlyInputs.includes(input)) && !inputs.some((input) => beingRead.includes(input))
}

/** A pass over the records of each resource that a due check evaluates, then one transaction for all results. */
async function evaluateRecords(
  request: EvaluateTenant,
  due: readonly CheckRun[],
  quality: TenantDataQuality,
): Promise<readonly CheckResult[]> {
  const { onlyInputs = resourceNames, signal, store, tenant } = request
  const runs = due.filter(({ check }) => check.own === undefined)
  const needed = await neededResources(request, runs, quality)
  const evaluated: CheckResult[] = []
  const counted = await store.recordCounts(tenant.id)
  const counts = new Map<ResourceName, VersionedCounts>()
  for (const resource of resourceNames) {
    const { input, state } = quality.resources[resource]
    const { version } = state
    // Before a full sync is complete, a count would be partial.
    const isCounted = input.everComplete && onlyInputs.includes(resource)
    const counting = isCounted ? recordTallyOf(resource, version, counted.get(resource)) : null
    const tallies = new Map<CheckRun, CheckTally | null>()
    for (const run of runs.filter(({ check }) => check.evaluates === resource))
      tallies.set(run, await beginTally(run, needed))
    const reading = [...tallies.values()].filter((tally) => tally !== null)
    if (reading.length > 0 || counting !== null)
      await readPass(store.records(tenant.id), resource, { tallies: reading, counting, signal })
    for (const [run, tally] of tallies) evaluated.push(await recordsResult(run, tally))
    if (counting !== null) counts.set(resource, { ...counting.result(), version })
  }
  await saveResults(request, evaluated, counts)
  return evaluated
}

async function neededResources(
  { store, tenant, now }: EvaluateTenant,
  runs: readonly CheckRun[],
  { resources }: TenantDataQuality,
) {
  const reader = store.records(tenant.id)
  const needed = new Map<ResourceName, NeededResource>()
  const pairs = runs.filter(isEvaluable).flatMap((run) => run.check.needs.map((resource) => ({ resource, run })))
  for (const [resource, uses] of Map.groupBy(pairs, (pair) => pair.resource)) {
    const records = (await Array.fromAsync(reader.select(resource))).flat()
    const since = uses.flatMap(({ run: { check, settings } }) => {
      const backMs = check.comparesReads?.(settings.options)
      return backMs === undefined ? [] : [now - backMs, resources[check.evaluates].state.completeStartedAt ?? now]
    })
    const changes = since.length === 0 ? [] : await reader.changesSince(resource, Math.min(...since))
    needed.set(resource, { records, changes })
  }
  return needed
}

/** Null for a resource without gauges that count its records, or whose records of that version are counted by them. */
function recordTallyOf(
  resource: ResourceName,
  version: number,
  counted: VersionedCounts | undefined,
): RecordTally | null {
  const definition: ResourceDefinition | undefined = resources.find(({ name }) => name === resource)
  const fields = definition === undefined ? [] : countedFields(definition)
  if (definition === undefined || fields.length === 0) return null
  const isCounted = counted?.version === version && isDeepStrictEqual(counted.fields, fields)
  return isCounted ? null : new RecordTally(definition)
}

/** Null if the check cannot be evaluated. */
async function beginTally(
  run: CheckRun,
  needed: ReadonlyMap<ResourceName, NeededResource>,
): Promise<CheckTally | null> {
  const { begin } = run.check
  await readOpenFindings(run)
  if (begin === undefined || !isEvaluable(run)) return null
  const tally = tallyOf(run)
  tally.attempt(() => {
    tally.evaluator = begin(run.settings.options, contextOf(run, needed))
  })
  return tally
}

async function recordsResult(run: CheckRun, tally: CheckTally | null): Promise<CheckResult> {
  run.request.signal?.throwIfAborted()
  if (tally === null) return unevaluatedResult(run, 'never')
  try {
    if (tally.error !== null) throw tally.error
    const problem = tally.unevaluated.length === 0 ? null : JSON.stringify(tally.unevaluated)
    return await evaluatedResult(run, tally, problem)
  } catch (error) {
    return await internalError(run, error)
  }
}

async function saveResults(
  { store, tenant, now, currentForMs }: EvaluateTenant,
  results: readonly CheckResult[],
  counts: ReadonlyMap<ResourceName, VersionedCounts> = new Map(),
): Promise<void> {
  if (results.length > 0 || counts.size > 0) await store.saveResults(tenant.id, now, { results, counts, currentForMs })
}

async function closeDisabled({ store, tenant, checks, now }: EvaluateTenant) {
  const enabled = new Set(checks.filter((check) => settingsOf(check, tenant.settings).enabled).map(({ id }) => id))
  return closeFindings(store, tenant.id, {
    now,
    isKept: (check) => enabled.has(check),
    resolution: 'check_disabled',
  })
}
