import { reasonOf } from '../model/errors.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { resources } from '../resources/index.ts'
import type { RecordCounts } from '../store/port.ts'
import type { MirrorRecord } from '../store/records/query.ts'
import { evaluatedResult, type NewResult, unevaluatedResult } from './check-result.ts'
import { type CheckRun, contextOf, type EvaluateTenant, isEvaluable, tallyOf } from './check-run.ts'
import { settingsOf } from './check-settings.ts'
import { type OpenFindings, openFindingsOf } from './findings/open-findings.ts'
import { PassingCheck, readPass } from './pass.ts'
import { RecordTally } from './record-tally.ts'

export interface DueCheck {
  readonly run: CheckRun
  /** See `basisOf`. */
  readonly basis: string
}

/** Whether the records of a resource are to be counted; `basis` identifies their last change. */
export interface Counting {
  readonly resource: ResourceName
  readonly basis: string
  readonly isDue: boolean
}

export interface EvaluateResource {
  readonly counting: Counting
  readonly needed: ReadonlyMap<ResourceName, readonly MirrorRecord[]>
  readonly due: readonly DueCheck[]
}

export interface EvaluatedCheck extends NewResult {
  readonly basis: string
}

export interface EvaluatedResource {
  readonly checks: readonly EvaluatedCheck[]
  /** Null if they were not due. */
  readonly counts: RecordCounts | null
}

interface Prepared extends DueCheck {
  readonly open: OpenFindings
  /** Null if the check cannot be evaluated. */
  readonly passing: PassingCheck | null
}

/** Evaluates the due checks of a resource, and counts its records, in one pass. A check that throws is `internal`. */
export async function evaluateResource(
  request: EvaluateTenant,
  { counting, needed, due }: EvaluateResource,
): Promise<EvaluatedResource> {
  const { store, tenant, signal } = request
  const { resource } = counting
  const prepared: Prepared[] = []
  for (const one of due) prepared.push(await prepare(one, needed))
  const passing = prepared.flatMap((one) => one.passing ?? [])
  const counts = counting.isDue ? recordTallyOf(resource) : null
  if (passing.length > 0 || counts !== null)
    await readPass({ reader: store.records(tenant.id), resource, checks: passing, counts, signal })
  const checks: EvaluatedCheck[] = []
  for (const one of prepared) {
    signal?.throwIfAborted()
    checks.push({ basis: one.basis, ...(await resultOf(one)) })
  }
  return { checks, counts: counts?.result() ?? null }
}

/** Null for a resource without gauges that count its records. */
function recordTallyOf(resource: ResourceName): RecordTally | null {
  const definition = resources.find(({ name }) => name === resource)
  if (definition === undefined || !('gauges' in definition)) return null
  return definition.gauges.some(({ kind }) => kind === 'count') ? new RecordTally(definition) : null
}

async function prepare(due: DueCheck, needed: EvaluateResource['needed']): Promise<Prepared> {
  const { run } = due
  const { check, request } = run
  const { store, tenant } = request
  const open = await openFindingsOf(store, tenant.id, check)
  if (check.begin === undefined || !isEvaluable(run)) return { ...due, open, passing: null }
  const { options } = settingsOf(check, tenant.settings)
  const tally = tallyOf(run, open)
  const context = await contextOf(run, needed)
  try {
    return { ...due, open, passing: new PassingCheck(check.begin(options, context), tally) }
  } catch (error) {
    const passing = new PassingCheck({ record: () => null }, tally)
    passing.error = error
    return { ...due, open, passing }
  }
}

async function resultOf({ run, open, passing }: Prepared): Promise<NewResult> {
  if (passing === null) return unevaluatedResult(run, open, 'never')
  try {
    if (passing.error !== null) throw passing.error
    const { unevaluated } = passing.tally
    const problem = unevaluated.length === 0 ? null : JSON.stringify(unevaluated)
    return await evaluatedResult(run, open, passing.tally, problem)
  } catch (error) {
    return await internalError(run, open, error)
  }
}

/** The check is `unknown` and keeps its findings. @throws an error that affects every check. */
export async function internalError(run: CheckRun, open: OpenFindings, error: unknown): Promise<NewResult> {
  const { check, request } = run
  request.signal?.throwIfAborted()
  // The mirror fails, or another replica has taken the tenant.
  if (['aborted', 'store'].includes(reasonOf(error))) throw error
  request.log.error(
    { tenant: request.tenant.settings.name, check: check.id, err: error },
    'Check could not be evaluated',
  )
  return unevaluatedResult(run, open, 'internal')
}
