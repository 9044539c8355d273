import type { Waiver } from '../config/settings.ts'
import type { InputQuality } from '../model/data-quality.ts'
import type { Log } from '../model/log.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { FindingStore, NotedWaiver } from '../store/port.ts'
import type { MirrorRecord } from '../store/records/query.ts'
import { type Check, type CheckContext, inputsOf } from './check.ts'
import { ruleContextOf, settingsOf } from './check-settings.ts'
import { CheckTally } from './check-tally.ts'
import { type EvaluatedTenant, inputQualities, type TenantDataQuality, usableInputs } from './data-quality.ts'
import { readAcceptedStates, saveFirstStates } from './decisions.ts'
import type { OpenFindings } from './findings/open-findings.ts'
import type { OwnQueries } from './own-query.ts'
import type { QueryBudget } from './query-budget.ts'
import type { ResultMemory } from './result-memory.ts'

export interface EvaluateTenant {
  readonly store: FindingStore
  readonly tenant: EvaluatedTenant
  readonly checks: readonly Check[]
  readonly now: number
  readonly log: Log
  /** Absent = evaluate all checks, and close findings of disabled ones. */
  readonly onlyInputs?: readonly ResourceName[]
  /** Resources that runs are reading now: with `onlyInputs`, a check that needs one is evaluated after its run. */
  readonly beingRead?: readonly ResourceName[]
  readonly memory?: ResultMemory
  readonly waivers?: readonly Waiver[]
  /** In milliseconds; absent = 15 minutes. */
  readonly currentForMs?: number
  readonly onDataQuality?: (quality: TenantDataQuality) => Promise<void>
  /** Needed for own checks. */
  readonly ownQueries?: OwnQueries
  /** Absent = unlimited. */
  readonly queryBudget?: QueryBudget
  /** Does not close findings of checks that are not listed. */
  readonly keepUnlisted?: boolean
  readonly signal?: AbortSignal
}

/** A check of one evaluation. */
export interface CheckRun {
  readonly check: Check
  readonly request: EvaluateTenant
  readonly quality: TenantDataQuality
  readonly inputs: readonly InputQuality[]
  readonly rule: string
  /** Waivers of the check that are stored, whether or not they are still configured. */
  readonly waivers: readonly NotedWaiver[]
}

export function checkRun(
  check: Check,
  request: EvaluateTenant,
  { quality, noted }: { readonly quality: TenantDataQuality; readonly noted: readonly NotedWaiver[] },
): CheckRun {
  const { settings } = request.tenant
  const { options } = settingsOf(check, settings)
  return {
    check,
    request,
    quality,
    inputs: usableInputs(check, { quality, now: request.now, options }),
    rule: check.ruleOf(options, ruleContextOf(settings)),
    waivers: noted.filter((waiver) => waiver.check === check.id),
  }
}

/** Identifies all inputs of a check result except the time. */
export async function basisOf({ check, request, quality, inputs, rule }: CheckRun): Promise<string> {
  const { store, tenant } = request
  // Await before reading the data versions, which must be those from before the evaluation.
  const accepted = check.drift === undefined ? null : await readAcceptedStates(store, tenant.id, check.id)
  return JSON.stringify([
    rule,
    settingsOf(check, tenant.settings).severity,
    inputs,
    inputs.map(({ resource }) => store.dataVersion(tenant.id, resource)),
    check.comparesReads === true ? inputs.map(({ resource }) => readInFullAt(quality, resource)) : null,
    accepted?.version ?? 0,
  ])
}

/**
 * False when a failure would be meaningless: the check is not configured, or an input is switched off or may belong to
 * another tenant, or a resource for look-ups never completed a full sync. The evaluated resource itself may be partial.
 */
export function isEvaluable({ check, quality, inputs }: CheckRun): boolean {
  if (inputs.some((input) => input.off || input.former)) return false
  const whole = check.entity.isRecord ? check.needs : inputsOf(check)
  return inputQualities(quality, whole).every((input) => input.everComplete)
}

export function tallyOf(run: CheckRun, { byEntity: open }: OpenFindings): CheckTally {
  const { check, request, rule } = run
  const { severity } = settingsOf(check, request.tenant.settings)
  return new CheckTally({ check, severity, rule, open, isFrozen: isFrozen(run) })
}

/** While the clocks differ, a time-based check confirms open findings and opens none. */
function isFrozen({ check, quality }: CheckRun): boolean {
  const inputs = inputQualities(quality, inputsOf(check))
  return check.timeBased && inputs.some(({ clock }) => clock === 'ahead' || clock === 'behind')
}

export async function contextOf(
  { check, request, quality, inputs }: CheckRun,
  needed: ReadonlyMap<ResourceName, readonly MirrorRecord[]>,
): Promise<CheckContext> {
  const { store, tenant, now } = request
  const accepted = check.drift === undefined ? null : await readAcceptedStates(store, tenant.id, check.id)
  const incomplete = inputs.filter(({ blocked, partial }) => blocked !== null || partial.length > 0)
  return {
    ...ruleContextOf(tenant.settings),
    now,
    incomplete: new Set(incomplete.map(({ resource }) => resource)),
    readInFullAt: (resource) => readInFullAt(quality, resource),
    accepted: accepted?.byEntity ?? null,
    needed: (resource) => needed.get(resource) ?? [],
  }
}

function readInFullAt({ resources }: TenantDataQuality, resource: ResourceName): number {
  return resources.get(resource)?.stored?.state.completeStartedAt ?? 0
}

/** Stores the first accepted states, once and only from complete data, because drift is measured from these states. */
export async function keepFirstStates({ check, request, quality }: CheckRun): Promise<void> {
  const { store, tenant, now } = request
  if (check.drift?.states === undefined) return
  const inputs = inputQualities(quality, inputsOf(check))
  const isWhole = inputs.every(({ blocked, partial, everComplete }) => {
    return everComplete && blocked === null && partial.length === 0
  })
  if (!isWhole || (await readAcceptedStates(store, tenant.id, check.id)) !== null) return
  const records = await Array.fromAsync(store.records(tenant.id).select(check.evaluates))
  const states = [...check.drift.states(records.flat())].map(([entityId, state]) => ({ entityId, state }))
  await saveFirstStates(store, { tenantId: tenant.id, check: check.id, at: now }, states)
}
