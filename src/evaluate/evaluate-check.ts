import { createHash } from 'node:crypto'
import type { InputQuality } from '../model/data-quality.ts'
import { decideStatus, type RawResult } from '../model/decide-status.ts'
import { dayMs, secondMs } from '../model/durations.ts'
import { fingerprintOf } from '../model/finding.ts'
import { minFreshnessMs } from '../model/freshness.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { AcceptedState, CheckResult, NewFinding } from '../store/port.ts'
import { type Evaluated, type EvaluateInput, type Failure, inputsOf } from './check.ts'
import { ruleContextOf, settingsOf } from './check-settings.ts'
import { inputQualities, usableInputs } from './data-quality.ts'
import type { CheckRun, EvaluateTenant } from './evaluation.ts'
import { isSameEntity } from './findings/identity.ts'
import { factsText, materialFacts } from './findings/material-facts.ts'
import { resolutionOf } from './findings/resolve-finding.ts'

/** Identifies all inputs of a check result except the time. */
export async function basisOf(run: CheckRun): Promise<string> {
  const { check, request, quality } = run
  const { store, tenant } = request
  // Await before reading the data versions, which must be those from before the evaluation.
  const accepted = check.drift === undefined ? 0 : await store.acceptedVersion(tenant.id, check.id)
  const { severity, options } = settingsOf(check, tenant.settings)
  const inputs = inputsOfRun(run)
  return JSON.stringify([
    check.ruleOf(options, ruleContextOf(tenant.settings)),
    severity,
    inputs,
    inputs.map(({ resource }) => store.dataVersion(tenant.id, resource)),
    check.comparesReads === true ? inputs.map(({ resource }) => readInFullAt(quality, resource)) : null,
    accepted,
  ])
}

export interface NewCheckResult extends CheckResult {
  readonly ages: boolean
  readonly notEvaluatedIds: string | null
}

export async function checkResultOf(run: CheckRun): Promise<NewCheckResult> {
  const { check, request, reader } = run
  if (!isEvaluable(run))
    return {
      ...assemble(run, null, [], (_) => ({ kind: 'unevaluated', reason: 'never' })),
      ages: false,
      notEvaluatedIds: null,
    }
  const { settings } = request.tenant
  const accepted = () => acceptedOf(run)
  const at = (resource: ResourceName) => readInFullAt(run.quality, resource)
  const context = { ...ruleContextOf(settings), incomplete: incompleteInputs(run), accepted, readInFullAt: at }
  const { options } = settingsOf(check, settings)
  const evaluateAt = (now: number) => check.evaluator({ reader, options, now, context, runQuery: queryRunner(run) })
  const evaluated = await evaluateAt(request.now)
  const present = failingSet()
  const failures = noted(evaluated.failures, present)
  const isUnchanged = async (at: number) => {
    const then = await evaluateAt(at)
    const later = failingSet()
    for await (const _ of noted(then.failures, later)) request.signal?.throwIfAborted()
    return sameNumbers(evaluated, then) && later.digest() === present.digest()
  }
  return {
    notEvaluatedIds: evaluated.notEvaluatedIds ?? idsOf(evaluated),
    ...assemble(run, evaluated, withoutNewWhileSkewed(run, findings(run, { ...evaluated, failures })), (failing) =>
      rawResultOf(evaluated, failing),
    ),
    ages: evaluated.ages,
    // Not for own checks: each sample would run the query again.
    ...(evaluated.ages &&
      check.own === undefined && {
        validUntil: () => unchangedUntil(isUnchanged, request, present.size(), evaluated.shortestMs),
      }),
  }
}

/** Digest of failing entities and severities; a count would not change if one starts to fail as another stops. */
interface FailingSet {
  add(batch: readonly Failure[]): void
  digest(): string
  size(): number
}

function failingSet(): FailingSet {
  const hash = createHash('sha256')
  let size = 0
  let digest: string | undefined
  return {
    add(batch) {
      size += batch.length
      for (const { entityId, severity } of batch) hash.update(`${JSON.stringify(entityId)}${severity}`)
    },
    digest() {
      digest ??= hash.digest('hex')
      return digest
    },
    size: () => size,
  }
}

async function* noted(failures: Evaluated['failures'], failing: FailingSet): Evaluated['failures'] {
  for await (const batch of failures) {
    failing.add(batch)
    yield batch
  }
}

/** Above this number of failing entities the search stops after `fewSteps`, because each step reads them all. */
const manyFailing = 1000
const fewSteps = 3

/** Greatest distance of two samples: assumes that no failure begins and ends between them. */
const longestLookMs = dayMs / 2
const shortestLookMs = secondMs

/** Limits the samples, each of which is an evaluation. A result that is valid for less time is renewed earlier. */
const mostLooks = 8

/**
 * Last known instant at which the same entities fail with the same severities. Unless a threshold passes before, it is
 * later than the result can be shown without another evaluation, confirmations from memory included. The horizon is
 * rounded, so that evaluations of about the same time have equal results.
 */
async function unchangedUntil(
  isUnchanged: (at: number) => Promise<boolean>,
  { now, currentForMs = minFreshnessMs }: EvaluateTenant,
  failing: number,
  shortestMs = longestLookMs,
): Promise<number> {
  const lookMs = Math.max(shortestLookMs, Math.min(longestLookMs, shortestMs))
  const horizon = Math.min(
    Math.ceil((now + 2 * currentForMs) / (4 * currentForMs)) * 4 * currentForMs,
    (Math.floor(now / (2 * lookMs)) + mostLooks / 2) * 2 * lookMs,
  )
  let [same, other] = [now, now]
  do {
    if (other >= horizon) return horizon
    same = other
    other = Math.min(other + lookMs, horizon)
  } while (await isUnchanged(other))
  const needed = Math.min(now + currentForMs, horizon)
  if (same < needed && needed < other) [same, other] = (await isUnchanged(needed)) ? [needed, other] : [same, needed]
  for (let steps = 0; other - same > 1 && (failing <= manyFailing || steps < fewSteps); steps++) {
    const middle = same + Math.floor((other - same) / 2)
    if (await isUnchanged(middle)) same = middle
    else other = middle
  }
  return same
}

function sameNumbers(one: Evaluated, other: Evaluated): boolean {
  const numbers = ['population', 'notEvaluated', 'applicable'] as const
  return numbers.every((name) => one[name] === other[name]) && idsOf(one) === idsOf(other)
}

function idsOf({ unevaluated = [] }: Evaluated): string | null {
  return unevaluated.length === 0 ? null : JSON.stringify(unevaluated)
}

export function failedResult(run: CheckRun, reason: 'check_failed' | 'internal'): CheckResult {
  return assemble(run, null, [], (_) => ({ kind: 'unevaluated', reason }))
}

function queryRunner({ request }: CheckRun): NonNullable<EvaluateInput['runQuery']> {
  const { store, tenant, now, signal, ownQueries, queryBudget } = request
  return (query) => {
    if (ownQueries === undefined)
      throw new TypeError('Cannot evaluate own checks: the request has no runner of queries')
    const run = () => ownQueries.ask(store, tenant.id, { ...query, now, tenant: tenant.settings.name }, signal)
    return queryBudget === undefined ? run() : queryBudget.spend(run)
  }
}

function assemble(
  run: CheckRun,
  evaluated: Evaluated | null,
  failing: CheckResult['failing'],
  rawResult: (failing: number) => RawResult,
): CheckResult {
  const { check, request, quality } = run
  const { store, tenant, now, signal } = request
  const inputs = inputsOfRun(run)
  return {
    tenantId: tenant.id,
    check: check.id,
    at: now,
    decide: (count) => decideStatus({ rawResult: rawResult(count), inputs, timeBased: check.timeBased }),
    // Null before the first complete full sync: the count would be partial.
    entities: evaluated !== null && inputs[0]?.everComplete === true ? evaluated.population : null,
    notEvaluated: evaluated !== null && inputs[0]?.everComplete === true ? evaluated.notEvaluated : null,
    ...(request.currentForMs !== undefined && { currentForMs: request.currentForMs }),
    rule: evaluated?.rule ?? null,
    failing,
    async resolve(finding) {
      signal?.throwIfAborted()
      // A removed record may belong to the other tenant.
      if (quality.sharedWith !== undefined) return null
      return resolutionOf(finding, { store, tenantId: tenant.id, check, inputs, now, evaluated })
    },
  }
}

async function* findings({ check, request }: CheckRun, evaluated: Evaluated): AsyncIterable<readonly NewFinding[]> {
  const { settings } = request.tenant
  const { severity } = settingsOf(check, settings)
  const entityType = check.entity.type
  for await (const batch of evaluated.failures) {
    request.signal?.throwIfAborted()
    yield batch.map(({ evidence, ...failure }) => {
      const { entityId } = failure
      return {
        ...failure,
        fingerprint: fingerprintOf({ tenant: settings.name, check: check.id, entityType, entityId }),
        entityType,
        severity: severity ?? failure.severity,
        evidence: { ...evidence, rule: evaluated.rule },
        isSameEntity: (stored: NewFinding['evidence']) => isSameEntity(stored, evidence),
        facts: () => factsText(materialFacts(evidence, check.material)),
      }
    })
  }
}

/** While the clocks differ, a time-based check confirms open findings and opens none. */
async function* withoutNewWhileSkewed(
  { check, request, quality }: CheckRun,
  batches: AsyncIterable<readonly NewFinding[]>,
): AsyncIterable<readonly NewFinding[]> {
  const inputs = inputQualities(quality, inputsOf(check))
  const isFrozen = check.timeBased && inputs.some(({ clock }) => clock === 'ahead' || clock === 'behind')
  for await (const batch of batches) {
    if (isFrozen) yield* openAmong(request, check.id, batch)
    else yield batch
  }
}

async function* openAmong(
  { store, tenant }: EvaluateTenant,
  check: string,
  batch: readonly NewFinding[],
): AsyncIterable<readonly NewFinding[]> {
  const fingerprints = batch.map(({ fingerprint }) => fingerprint)
  for await (const open of store.findings({ tenantIds: [tenant.id], check, fingerprints })) yield open
}

function inputsOfRun({ check, quality, request }: CheckRun): readonly InputQuality[] {
  const { options } = settingsOf(check, request.tenant.settings)
  return usableInputs(check, { quality, now: request.now, options })
}

/**
 * False when a failure would be meaningless: the check is not configured, or an input is switched off or may belong to
 * another tenant, or a resource for look-ups never completed a full sync. The evaluated resource itself may be partial.
 */
function isEvaluable(run: CheckRun): boolean {
  const { check, quality } = run
  if (inputsOfRun(run).some((input) => input.off || input.former)) return false
  const whole = check.entity.isRecord ? check.needs : inputsOf(check)
  return inputQualities(quality, whole).every((input) => input.everComplete)
}

function readInFullAt({ resources }: CheckRun['quality'], resource: ResourceName): number {
  return resources.get(resource)?.stored?.state.completeStartedAt ?? 0
}

function incompleteInputs(run: CheckRun): ReadonlySet<ResourceName> {
  const incomplete = inputsOfRun(run).filter(({ blocked, partial }) => blocked !== null || partial.length > 0)
  return new Set(incomplete.map(({ resource }) => resource))
}

function rawResultOf(evaluated: Evaluated, failing: number): RawResult {
  if (failing > 0) return { kind: 'fails' }
  if (evaluated.notEvaluated > 0) return { kind: 'unevaluated', reason: evaluated.notEvaluatedFor }
  return evaluated.applicable && evaluated.population > 0 ? { kind: 'passes' } : { kind: 'not_applicable' }
}

async function acceptedOf({ check, request }: CheckRun): Promise<ReadonlyMap<string, AcceptedState> | null> {
  const states = await request.store.acceptedStates(request.tenant.id, check.id)
  return states && new Map(states.map((state) => [state.entityId, state]))
}

/** Stores the first accepted states, once and only from complete data, because drift is measured from these states. */
export async function keepFirstStates(run: CheckRun): Promise<void> {
  const { check, request, quality, reader } = run
  const { store, tenant, now } = request
  if (check.drift?.states === undefined) return
  const inputs = inputQualities(quality, inputsOf(check))
  const isWhole = inputs.every(({ blocked, partial, everComplete }) => {
    return everComplete && blocked === null && partial.length === 0
  })
  if (!isWhole || (await store.acceptedStates(tenant.id, check.id)) !== null) return
  const states = [...(await check.drift.states(reader))].map(([entityId, state]) => ({ entityId, state }))
  await store.keepFirstStates(tenant.id, check.id, states, now)
}
