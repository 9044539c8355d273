import type { CheckResult, NewFinding } from '../mirror/port.ts'
import { decideStatus, type RawResult } from '../model/decide-status.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { acceptedOf } from './accepted-states.ts'
import { type Evaluated, type EvaluateInput, inputsOf } from './check.ts'
import { usableInputs } from './check-inputs.ts'
import type { CheckRun } from './check-run.ts'
import { settingsOf } from './check-settings.ts'
import { inputQualities } from './data-quality.ts'
import type { EvaluateTenant } from './evaluation.ts'
import { fingerprintOf } from './findings/fingerprint.ts'
import { isSameEntity } from './findings/identity.ts'
import { factsText, materialFacts } from './findings/material-facts.ts'
import { resolutionOf } from './findings/resolve-finding.ts'
import { ruleContextOf } from './rule-context.ts'

/** Everything that a check result hangs on beside the time: while it is the same, so is the check result. */
export function basisOf({ check, request, quality }: CheckRun): string {
  const { store, tenant } = request
  const { severity, options } = settingsOf(check, tenant.settings)
  const { knownStatuses } = tenant.settings.documents
  const inputs = usableInputs(check, quality, request.now)
  return JSON.stringify([
    check.ruleOf(options, ruleContextOf(tenant.settings)),
    severity,
    knownStatuses,
    inputs,
    inputs.map(({ resource }) => store.dataVersion(tenant.id, resource)),
    check.drift === undefined ? 0 : store.acceptedVersion(tenant.id, check.id),
  ])
}

/** A check result with what is not stored with it. */
export interface NewCheckResult extends CheckResult {
  readonly ages: boolean
  /** What an own check says of entities that it could not evaluate; of another check their ids as JSON. */
  readonly notEvaluatedIds: string | null
}

/** What one check says now, ready to be committed; it throws there, too, when the check cannot be evaluated. */
export async function checkResultOf(run: CheckRun): Promise<NewCheckResult> {
  const { check, request, reader } = run
  if (!canTell(run))
    return {
      ...assemble(run, null, [], (_) => ({ kind: 'unevaluated', reason: 'never' })),
      ages: false,
      notEvaluatedIds: null,
    }
  const { settings } = request.tenant
  const accepted = () => acceptedOf(run)
  const context = { ...ruleContextOf(settings), incomplete: incompleteInputs(run), accepted }
  const { options } = settingsOf(check, settings)
  const evaluated = await check.evaluator({ reader, options, now: request.now, context, ask: askerOf(run) })
  return {
    notEvaluatedIds: evaluated.notEvaluatedIds ?? idsOf(evaluated),
    ...assemble(run, evaluated, unlessSkewed(run, findings(run, evaluated)), (failing) =>
      rawResultOf(evaluated, failing),
    ),
    ages: evaluated.ages,
  }
}

function idsOf({ unevaluated = [] }: Evaluated): string | null {
  return unevaluated.length === 0 ? null : JSON.stringify(unevaluated)
}

/** The check result for a check that threw: unknown, and every open finding stays as it is. */
export function failedResult(run: CheckRun, reason: 'check_failed' | 'internal'): CheckResult {
  return assemble(run, null, [], (_) => ({ kind: 'unevaluated', reason }))
}

function askerOf({ request }: CheckRun): NonNullable<EvaluateInput['ask']> {
  const { store, tenant, now, signal, queryBudget } = request
  return (query) => {
    const ask = () => store.ask(tenant.id, { ...query, now, tenant: tenant.settings.name }, signal)
    return queryBudget === undefined ? ask() : queryBudget.over(ask)
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
  const inputs = usableInputs(check, quality, now)
  return {
    tenantId: tenant.id,
    check: check.id,
    at: now,
    decide: (count) => decideStatus({ rawResult: rawResult(count), inputs, timeBased: check.timeBased }),
    // Before the first complete full sync of what is evaluated, the number would be half a picture.
    entities: evaluated !== null && inputs[0]?.everComplete === true ? evaluated.population : null,
    notEvaluated: evaluated !== null && inputs[0]?.everComplete === true ? evaluated.notEvaluated : null,
    ...(request.currentForMs !== undefined && { currentForMs: request.currentForMs }),
    rule: evaluated?.rule ?? null,
    failing,
    resolve(finding) {
      signal?.throwIfAborted()
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

/** While the clocks differ, a time-based check opens and changes nothing: what is open stays as it is. */
async function* unlessSkewed(
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

/**
 * False when a failure would mean nothing: an input is switched off or may be another tenant's than the rest, or absence was never shown by a complete full sync of
 * what the check looks things up in. A record that fails by itself fails before the first full sync is complete, too.
 */
function canTell({ check, quality }: CheckRun): boolean {
  if (inputQualities(quality, inputsOf(check)).some((input) => input.off || input.former)) return false
  const whole = check.entity.isRecord ? check.needs : inputsOf(check)
  return inputQualities(quality, whole).every((input) => input.everComplete)
}

function incompleteInputs({ check, quality, request }: CheckRun): ReadonlySet<ResourceName> {
  const inputs = usableInputs(check, quality, request.now)
  return new Set(
    inputs.filter(({ blocked, partial }) => blocked !== null || partial.length > 0).map(({ resource }) => resource),
  )
}

function rawResultOf(evaluated: Evaluated, failing: number): RawResult {
  if (failing > 0) return { kind: 'fails' }
  if (evaluated.notEvaluated > 0) return { kind: 'unevaluated', reason: evaluated.notEvaluatedFor }
  return evaluated.applicable && evaluated.population > 0 ? { kind: 'passes' } : { kind: 'not_applicable' }
}
