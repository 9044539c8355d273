import type { CheckSettings, Waiver } from '../config/settings.ts'
import type { InputQuality } from '../model/check-status.ts'
import type { Log } from '../model/log.ts'
import { version } from '../model/process/version.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { FindingStore, OpenFindingDigest, StoredWaiver } from '../store/port.ts'
import type { ChangeRow, MirrorRecord } from '../store/records/query.ts'
import { type Check, type CheckContext, ruleContextOf, settingsOf } from './check.ts'
import { CheckTally } from './check-tally.ts'
import { type EvaluatedTenant, type TenantDataQuality, usableInputs } from './data-quality.ts'
import { type AcceptedStates, readAcceptedStates, saveFirstStates } from './decisions.ts'
import { digestOf } from './digest.ts'
import type { OwnQueries } from './own-query.ts'

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
  readonly waivers?: readonly Waiver[]
  /** In milliseconds; absent = 15 minutes. */
  readonly currentForMs?: number
  readonly onDataQuality?: (quality: TenantDataQuality) => Promise<void>
  /** Needed for own checks. */
  readonly ownQueries?: OwnQueries
  readonly signal?: AbortSignal
}

/** A check of one evaluation. */
export interface CheckRun {
  readonly check: Check
  readonly request: EvaluateTenant
  readonly settings: CheckSettings
  readonly quality: TenantDataQuality
  readonly inputs: readonly InputQuality[]
  readonly rule: string
  /** Of a check with `drift`; null before its first states are stored. */
  readonly accepted: AcceptedStates | null
  /** Waivers of the check that are stored, whether or not they are still configured. */
  readonly waivers: readonly StoredWaiver[]
  /** Digest of all inputs of the result except the time. */
  readonly basis: string
  /** The findings that are open before, by entity; by fingerprint those of an entity type that the check had before. */
  readonly open: Map<string, OpenFindingDigest>
}

export async function checkRun(
  check: Check,
  request: EvaluateTenant,
  { quality, noted }: { readonly quality: TenantDataQuality; readonly noted: readonly StoredWaiver[] },
): Promise<CheckRun> {
  const { tenant, now } = request
  const settings = settingsOf(check, tenant.settings)
  const { options, severity } = settings
  const inputs = usableInputs(check, { quality, now, options })
  const rule = check.ruleOf(options, ruleContextOf(tenant.settings))
  const accepted = await acceptedStates(check, request, inputs)
  // From before the evaluation, which may read newer records: it is then repeated.
  const states = inputs.map(({ resource }) => quality.resources[resource].state)
  const versions = states.map(({ version }) => version)
  // A query that failed may succeed the next time.
  const isOfReading = check.comparesReads !== undefined || check.own !== undefined
  const readAt = isOfReading ? states.map(({ completeStartedAt }) => completeStartedAt ?? 0) : null
  const own = check.own === undefined ? null : [check.severities, check.query]
  const facts = [version, rule, severity, own, inputs, versions, readAt, accepted?.version ?? 0]
  return {
    ...{ check, request, settings, quality, inputs, rule, accepted },
    waivers: noted.filter((waiver) => waiver.check === check.id),
    basis: digestOf(facts),
    open: new Map(),
  }
}

/** Stores the first accepted states, once and only from complete data, because drift is measured from these states. */
async function acceptedStates(
  { id, acceptedOf, drift, evaluates }: Check,
  { store, tenant, now }: EvaluateTenant,
  inputs: readonly InputQuality[],
): Promise<AcceptedStates | null> {
  if (drift === undefined) {
    const isCompared = acceptedOf !== undefined && settingsOf({ id: acceptedOf }, tenant.settings).enabled
    return isCompared ? readAcceptedStates(store, tenant.id, acceptedOf) : null
  }
  const accepted = await readAcceptedStates(store, tenant.id, id)
  if (accepted !== null) return accepted
  const isWhole = inputs.every(({ blocked, partial, everComplete }) => {
    return everComplete && blocked === null && partial.length === 0
  })
  if (!isWhole) return null
  const reader = store.records(tenant.id)
  const records = (await Array.fromAsync(reader.select(evaluates))).flat()
  const changes = await reader.history(evaluates, ...records.map(({ key }) => key))
  const states = [...drift.states(records, changes)].map(([entityId, state]) => ({ entityId, state }))
  await saveFirstStates(store, { tenantId: tenant.id, check: id, at: now }, states)
  return readAcceptedStates(store, tenant.id, id)
}

/**
 * False when a failure would be meaningless: the check is not configured, or an input is switched off or may belong to
 * another tenant, or a resource for look-ups never completed a full sync. The evaluated resource itself may be partial.
 */
export function isEvaluable({ check, inputs }: CheckRun): boolean {
  return inputs.every(({ resource, off, former, everComplete }) => {
    const mayBePartial = check.entity.isRecord && resource === check.evaluates
    return !off && !former && (everComplete || mayBePartial)
  })
}

/** Call before the check is evaluated, or its findings end. */
export async function readOpenFindings({ check, request, open }: CheckRun): Promise<void> {
  for await (const batch of request.store.openDigests(request.tenant.id, check.id)) {
    for (const finding of batch)
      open.set(finding.entityType === check.entity.type ? finding.entityId : finding.fingerprint, finding)
  }
}

/** While the clocks differ, a time-based check confirms open findings and opens none. */
export function tallyOf({ check, settings: { severity }, inputs, rule, open }: CheckRun): CheckTally {
  const isFrozen = check.timeBased && inputs.some(({ clock }) => clock === 'ahead' || clock === 'behind')
  return new CheckTally({ check, severity, rule, open, isFrozen })
}

/** What due checks look up in a resource. */
export interface NeededResource {
  readonly records: readonly MirrorRecord[]
  readonly changes: readonly ChangeRow[]
}

export function contextOf(
  { request, quality, inputs, accepted }: CheckRun,
  needed: ReadonlyMap<ResourceName, NeededResource>,
): CheckContext {
  const incomplete = inputs.filter(({ blocked, partial }) => blocked !== null || partial.length > 0)
  const readInFullAt = (resource: ResourceName) => quality.resources[resource].state.completeStartedAt ?? 0
  return {
    ...ruleContextOf(request.tenant.settings),
    now: request.now,
    incomplete: new Set(incomplete.map(({ resource }) => resource)),
    readInFullAt,
    firstReadInFullAt: (resource) => quality.resources[resource].state.firstCompleteAt ?? 0,
    readInFullBy: (resource) => readInFullAt(resource) + (quality.resources[resource].state.completeDurationMs ?? 0),
    accepted: accepted?.byEntity ?? null,
    needed: (resource) => needed.get(resource)?.records ?? [],
    changesOfNeeded: (resource) => needed.get(resource)?.changes ?? [],
  }
}
