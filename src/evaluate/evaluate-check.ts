import type { NewFinding, Verdict } from '../mirror/port.ts'
import { decideStatus, type Judgement } from '../model/decide-status.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { acceptedOf } from './accepted-states.ts'
import { inputsOf, type Judged, type JudgeInput } from './check.ts'
import { trustedInputs } from './check-inputs.ts'
import type { CheckRun } from './check-run.ts'
import { settingsOf } from './check-settings.ts'
import type { EvaluateTenant } from './evaluation.ts'
import { fingerprintOf } from './fingerprint.ts'
import { isSameEntity } from './identity.ts'
import { factsText, materialFacts } from './material-facts.ts'
import { resolutionOf } from './resolve-finding.ts'
import { ruleContextOf } from './rule-context.ts'
import { inputTrusts } from './tenant-trust.ts'

/** Everything that a verdict hangs on beside the time: while it is the same, so is the verdict. */
export function basisOf({ check, request, trust }: CheckRun): string {
  const { store, tenant } = request
  const { severity, options } = settingsOf(check, tenant.settings)
  const { knownStatuses } = tenant.settings.documents
  const inputs = trustedInputs(check, trust, request.now)
  return JSON.stringify([
    check.ruleOf(options, ruleContextOf(tenant.settings)),
    severity,
    knownStatuses,
    inputs,
    inputs.map(({ resource }) => store.dataVersion(tenant.id, resource)),
    check.drift === undefined ? 0 : store.acceptedVersion(tenant.id, check.id),
  ])
}

/** A verdict with what is not stored with it. */
export interface NewVerdict extends Verdict {
  readonly ages: boolean
  /** What an own check says of entities that it could not judge; of another check their ids as JSON. */
  readonly doubts: string | null
}

/** What one check says now, ready to be committed; it throws there, too, when the check cannot be judged. */
export async function verdictOf(run: CheckRun): Promise<NewVerdict> {
  const { check, request, reader } = run
  if (!canTell(run))
    return { ...assemble(run, null, [], (_) => ({ kind: 'unjudged', reason: 'never' })), ages: false, doubts: null }
  const { settings } = request.tenant
  const accepted = () => acceptedOf(run)
  const context = { ...ruleContextOf(settings), incomplete: incompleteInputs(run), accepted }
  const { options } = settingsOf(check, settings)
  const judged = await check.judge({ reader, options, now: request.now, context, ask: askerOf(run) })
  return {
    doubts: judged.doubts ?? idsOf(judged),
    ...assemble(run, judged, unlessSkewed(run, findings(run, judged)), (failing) => judgementOf(judged, failing)),
    ages: judged.ages,
  }
}

function idsOf({ unjudged = [] }: Judged): string | null {
  return unjudged.length === 0 ? null : JSON.stringify(unjudged)
}

/** The verdict for a check that threw: unknown, and every open finding stays as it is. */
export function brokenVerdict(run: CheckRun, reason: 'check_failed' | 'internal'): Verdict {
  return assemble(run, null, [], (_) => ({ kind: 'unjudged', reason }))
}

function askerOf({ request }: CheckRun): NonNullable<JudgeInput['ask']> {
  const { store, tenant, now, signal, askBudget } = request
  return (query) => {
    const ask = () => store.ask(tenant.id, { ...query, now, tenant: tenant.settings.name }, signal)
    return askBudget === undefined ? ask() : askBudget.over(ask)
  }
}

function assemble(
  run: CheckRun,
  judged: Judged | null,
  failing: Verdict['failing'],
  judgement: (failing: number) => Judgement,
): Verdict {
  const { check, request, trust } = run
  const { store, tenant, now, signal } = request
  const inputs = trustedInputs(check, trust, now)
  return {
    tenantId: tenant.id,
    check: check.id,
    at: now,
    decide: (count) => decideStatus({ judgement: judgement(count), inputs, timeBased: check.timeBased }),
    // Before the first complete walk of what is judged, the number would be half a picture.
    entities: judged !== null && inputs[0]?.everComplete === true ? judged.population : null,
    notJudged: judged !== null && inputs[0]?.everComplete === true ? judged.notJudged : null,
    ...(request.currentForMs !== undefined && { currentForMs: request.currentForMs }),
    rule: judged?.rule ?? null,
    failing,
    resolve(finding) {
      signal?.throwIfAborted()
      return resolutionOf(finding, { store, tenantId: tenant.id, check, inputs, now, judged })
    },
  }
}

async function* findings({ check, request }: CheckRun, judged: Judged): AsyncIterable<readonly NewFinding[]> {
  const { settings } = request.tenant
  const { severity } = settingsOf(check, settings)
  const entityType = check.entity.type
  for await (const batch of judged.failures) {
    request.signal?.throwIfAborted()
    yield batch.map(({ evidence, ...failure }) => {
      const { entityId } = failure
      return {
        ...failure,
        fingerprint: fingerprintOf({ tenant: settings.name, check: check.id, entityType, entityId }),
        entityType,
        severity: severity ?? failure.severity,
        evidence: { ...evidence, rule: judged.rule },
        isSameEntity: (stored: NewFinding['evidence']) => isSameEntity(stored, evidence),
        facts: () => factsText(materialFacts(evidence, check.material)),
      }
    })
  }
}

/** While the clocks differ, a time-based check opens and changes nothing: what is open stays as it is. */
async function* unlessSkewed(
  { check, request, trust }: CheckRun,
  batches: AsyncIterable<readonly NewFinding[]>,
): AsyncIterable<readonly NewFinding[]> {
  const inputs = inputTrusts(trust, inputsOf(check))
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
 * False when a failure would mean nothing: an input is switched off or may be another tenant's than the rest, or absence was never shown by a complete walk of
 * what the check looks things up in. A record that fails by itself fails before the first walk is complete, too.
 */
function canTell({ check, trust }: CheckRun): boolean {
  if (inputTrusts(trust, inputsOf(check)).some((input) => input.off || input.former)) return false
  const whole = check.entity.isRecord ? check.needs : inputsOf(check)
  return inputTrusts(trust, whole).every((input) => input.everComplete)
}

function incompleteInputs({ check, trust, request }: CheckRun): ReadonlySet<ResourceName> {
  const inputs = trustedInputs(check, trust, request.now)
  return new Set(
    inputs.filter(({ blocked, partial }) => blocked !== null || partial.length > 0).map(({ resource }) => resource),
  )
}

function judgementOf(judged: Judged, failing: number): Judgement {
  if (failing > 0) return { kind: 'fails' }
  if (judged.notJudged > 0) return { kind: 'unjudged', reason: judged.notJudgedFor }
  return judged.applicable && judged.population > 0 ? { kind: 'passes' } : { kind: 'not_applicable' }
}
