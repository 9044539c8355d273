import type { NewFinding, Verdict } from '../mirror/port.ts'
import type { RecordReader } from '../mirror/query.ts'
import { decideStatus, type Judgement } from '../model/decide-status.ts'
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

/** What one check says now, ready to be committed. Throws when it cannot be judged; nothing is written then. */
export async function verdictOf(run: CheckRun): Promise<Verdict> {
  const { judged, failing } = await judge(run)
  return assemble(run, judged, failing, judgementOf(judged, failing.length))
}

/** The verdict for a check that threw: unknown, and every open finding stays as it is. */
export function brokenVerdict(run: CheckRun): Verdict {
  return assemble(run, null, [], { kind: 'unjudged', reason: 'internal' })
}

function assemble(run: CheckRun, judged: Judged | null, failing: readonly NewFinding[], judgement: Judgement): Verdict {
  const { check, request, trust } = run
  const { store, tenant, now } = request
  const inputs = inputTrusts(trust, inputsOf(check))
  const { clockSkewMs } = trust.tenant
  return {
    tenantId: tenant.id,
    check: check.id,
    at: now,
    ...decideStatus({ judgement, inputs, timeBased: check.timeBased, clockSkewMs }),
    entities: judged?.population ?? 0,
    rule: judged?.rule ?? null,
    failing,
    resolve: (finding) => resolutionOf(finding, { store, tenantId: tenant.id, check, inputs, clockSkewMs, judged }),
  }
}

async function judge(
  run: CheckRun,
): Promise<{ readonly judged: Judged | null; readonly failing: readonly NewFinding[] }> {
  if (!canTell(run)) return { judged: null, failing: [] }
  const { check, request, reader } = run
  const { settings } = request.tenant
  const { severity, options } = settingsOf(check, settings)
  const context = { knownDocumentStatuses: settings.documents.knownStatuses, partial: partialInputs(run) }
  const judged = await check.judge({ reader, options, now: request.now, context })
  const failing: NewFinding[] = []
  const entityType = check.entity.type
  for await (const { evidence, ...failure } of judged.failures) {
    request.signal?.throwIfAborted()
    const { entityId } = failure
    failing.push({
      ...failure,
      fingerprint: fingerprintOf({ tenant: settings.name, check: check.id, entityType, entityId }),
      entityType,
      severity: severity ?? failure.severity,
      evidence: { ...evidence, rule: judged.rule },
    })
  }
  return { judged, failing }
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

function partialInputs({ check, trust }: CheckRun): ReadonlySet<ResourceName> {
  const inputs = inputTrusts(trust, inputsOf(check))
  return new Set(inputs.filter((input) => input.partial.length > 0).map((input) => input.resource))
}

function judgementOf(judged: Judged | null, failing: number): Judgement {
  if (failing > 0) return { kind: 'fails' }
  if (judged === null) return { kind: 'unjudged', reason: 'never' }
  if (judged.notJudged > 0) return { kind: 'unjudged', reason: 'ambiguous' }
  return judged.applicable && judged.population > 0 ? { kind: 'passes' } : { kind: 'not_applicable' }
}
