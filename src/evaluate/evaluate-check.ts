import type { NewFinding, Verdict } from '../mirror/port.ts'
import type { RecordReader } from '../mirror/query.ts'
import { decideStatus, isSkewed, type Judgement } from '../model/decide-status.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { type Check, inputsOf, type Judged } from './check.ts'
import { settingsOf } from './check-settings.ts'
import type { EvaluateTenant } from './evaluation.ts'
import { fingerprintOf } from './fingerprint.ts'
import { resolutionOf } from './resolve-finding.ts'
import { inputTrusts, type TenantTrust } from './tenant-trust.ts'

export interface CheckRun {
  readonly check: Check
  readonly request: EvaluateTenant
  readonly trust: TenantTrust
  readonly reader: RecordReader
}

/** Everything that a verdict hangs on beside the time: while it is the same, so is the verdict. */
export function basisOf({ check, request, trust }: CheckRun): string {
  const { store, tenant } = request
  const { severity, options } = settingsOf(check, tenant.settings)
  const { knownStatuses } = tenant.settings.documents
  const inputs = inputTrusts(trust, inputsOf(check))
  return JSON.stringify([
    check.ruleOf(options, { knownDocumentStatuses: knownStatuses }),
    severity,
    knownStatuses,
    isSkewed(trust.tenant.clockSkewMs),
    inputs,
    inputs.map(({ resource }) => store.dataVersion(tenant.id, resource)),
  ])
}

/** What one check says now, ready to be committed; it throws there, too, when the check cannot be judged. */
export async function verdictOf(run: CheckRun): Promise<Verdict & { readonly ages: boolean }> {
  const { check, request, reader } = run
  if (!canTell(run)) return { ...assemble(run, null, [], (_) => ({ kind: 'unjudged', reason: 'never' })), ages: false }
  const { settings } = request.tenant
  const context = { knownDocumentStatuses: settings.documents.knownStatuses, incomplete: incompleteInputs(run) }
  const judged = await check.judge({ reader, options: settingsOf(check, settings).options, now: request.now, context })
  return {
    ...assemble(run, judged, findings(run, judged), (failing) => judgementOf(judged, failing)),
    ages: judged.ages,
  }
}

/** The verdict for a check that threw: unknown, and every open finding stays as it is. */
export function brokenVerdict(run: CheckRun): Verdict {
  return assemble(run, null, [], (_) => ({ kind: 'unjudged', reason: 'internal' }))
}

function assemble(
  run: CheckRun,
  judged: Judged | null,
  failing: Verdict['failing'],
  judgement: (failing: number) => Judgement,
): Verdict {
  const { check, request, trust } = run
  const { store, tenant, now, signal } = request
  const inputs = inputTrusts(trust, inputsOf(check))
  const { clockSkewMs } = trust.tenant
  return {
    tenantId: tenant.id,
    check: check.id,
    at: now,
    decide: (count) => decideStatus({ judgement: judgement(count), inputs, timeBased: check.timeBased, clockSkewMs }),
    // Before the first complete walk of what is judged, the number would be half a picture.
    entities: judged !== null && inputs[0]?.everComplete === true ? judged.population : null,
    rule: judged?.rule ?? null,
    failing,
    resolve(finding) {
      signal?.throwIfAborted()
      return resolutionOf(finding, { store, tenantId: tenant.id, check, inputs, clockSkewMs, judged })
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
      }
    })
  }
}

/**
 * False when a failure would mean nothing: an input is switched off, or absence was never shown by a complete walk of
 * what the check looks things up in. A record that fails by itself fails before the first walk is complete, too.
 */
function canTell({ check, trust }: CheckRun): boolean {
  if (inputTrusts(trust, inputsOf(check)).some((input) => input.off)) return false
  const whole = check.entity.isRecord ? check.needs : inputsOf(check)
  return inputTrusts(trust, whole).every((input) => input.everComplete)
}

function incompleteInputs({ check, trust }: CheckRun): ReadonlySet<ResourceName> {
  const inputs = inputTrusts(trust, inputsOf(check))
  return new Set(
    inputs.filter(({ blocked, partial }) => blocked !== null || partial.length > 0).map(({ resource }) => resource),
  )
}

function judgementOf(judged: Judged, failing: number): Judgement {
  if (failing > 0) return { kind: 'fails' }
  if (judged.notJudged > 0) return { kind: 'unjudged', reason: judged.notJudgedFor }
  return judged.applicable && judged.population > 0 ? { kind: 'passes' } : { kind: 'not_applicable' }
}
