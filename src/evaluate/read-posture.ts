import type { ResourceSettings, Waiver } from '../config/settings.ts'
import { type CheckStatus, type DecidedStatus, decideStatus, type InputQuality } from '../model/check-status.ts'
import { incrementalFreshnessLimitMs, isFresh, resultLimitMs } from '../model/freshness.ts'
import { guidKey } from '../model/guid.ts'
import { effectOf, holdAdvice, remedyOf, replacesTenant } from '../model/holds.ts'
import type {
  CheckView,
  HoldView,
  IdentityState,
  ModeView,
  ResourceView,
  TenantPosture,
  WaiverState,
  WaiverView,
} from '../model/posture.ts'
import { isHoldReason, isRefusal, type Reason } from '../model/reasons.ts'
import { type ResourceName, resourceNames, type SyncMode } from '../model/resource-names.ts'
import { type SeverityCounts, total } from '../model/severity.ts'
import { plural } from '../model/text/words.ts'
import { identifying } from '../resources/index.ts'
import type { CheckStateRow, HoldRow, PostureStore, SyncState } from '../store/port.ts'
import { type Check, inputsOf, ruleContextOf, settingsOf } from './check.ts'
import {
  dataAsOf,
  type EvaluatedTenant,
  greatestSkewOf,
  incrementalFailure,
  inputQualities,
  readDataQuality,
  type TenantDataQuality,
  usableInputs,
} from './data-quality.ts'
import { type Coverage, fingerprintsOf, type SplitCounts, splitOpenFindings } from './findings/open-findings.ts'
import { anyEntity, isValid } from './findings/waivers.ts'

export interface ReadPosture {
  readonly store: PostureStore
  readonly tenant: EvaluatedTenant
  readonly checks: readonly Check[]
  readonly waivers: readonly Waiver[]
  readonly now: number
  readonly evaluateIntervalMs: number
}

/** Stored check results with the present ages and holds of their inputs applied (docs/internals/status.md#check-status). */
export async function readPosture(request: ReadPosture): Promise<TenantPosture> {
  const { store, tenant, checks, waivers, now } = request
  const { id, settings } = tenant
  const quality = await readDataQuality(store, tenant, now)
  const { waiversAt } = quality
  const states = await store.checkStates(id)
  const of = { store, tenant: { id, name: settings.name } }
  const split = await splitOpenFindings({ ...of, checks, states, waivers, now: waiversAt })
  const holds = quality.holds.map(holdView)
  const resources = resourceNames.map((resource) => resourceView(resource, settings.resources[resource], quality, now))
  return {
    tenant: settings.name,
    at: now,
    waiversAt,
    clockSkewMs: greatestSkewOf(quality, now),
    blockedUntil: quality.tenant.blockedUntil,
    holds,
    identity: identityOf(holds, resources),
    resources,
    checks: checks.map((check) => {
      const state = states.find((row) => row.check === check.id)
      return checkView(check, { request, quality, state, counts: split.byCheck.get(check.id) })
    }),
    waivers: await readWaivers({ request, quality }, split.byWaiver),
  }
}

function holdView(hold: HoldRow): HoldView {
  const { id, resource, reason, count, message, raisedAt, acceptedReason } = hold
  const remedy = remedyOf(hold)
  const replaces = remedy === null && replacesTenant(hold) ? { replacesTenant: true } : {}
  const view = { id, resource, reason, count, message, raisedAt, ...replaces }
  if (acceptedReason !== null) return { ...view, acceptedReason }
  return remedy === null ? { ...view, effect: effectOf(hold), advice: holdAdvice(hold) } : { ...view, remedy }
}

function identityOf(holds: readonly HoldView[], views: readonly ResourceView[]): IdentityState {
  if (holds.some(({ resource, reason }) => resource === 'all' && reason === 'tenant_changed')) return 'held'
  const identifies = ({ resource, enabled, live, dataAsOf }: ResourceView) =>
    identifying.some(({ name }) => name === resource) && enabled && live > 0 && dataAsOf !== null
  return views.some(identifies) ? 'proven' : 'unproven'
}

interface Known {
  readonly request: ReadPosture
  readonly quality: TenantDataQuality
}

interface CheckKnown extends Known {
  readonly state: CheckStateRow | undefined
  readonly counts: SplitCounts | undefined
}

function checkView(check: Check, known: CheckKnown): CheckView {
  const { request, state, counts } = known
  const settings = settingsOf(check, request.tenant.settings)
  const inputs = usableInputs(check, { quality: known.quality, now: request.now, options: settings.options })
  const present = presentStatus(check, known, inputs)
  const ifPassed = decideStatus({ found: { status: 'pass', reason: null }, inputs, timeBased: check.timeBased })
  // Why others may fail, too.
  const partial = present.status === 'fail' ? ifPassed.reason : null
  const assumption = check.assumption?.(settings.options) ?? null
  const notEvaluated = notEvaluatedOf(state)
  const isAsStored = present.status === state?.status && present.reason === state.reason
  return {
    check: check.id,
    passesWhen: check.title,
    title: titleOf(check, present.status, counts?.open ?? {}),
    risk: check.risk,
    remediation: check.remediation,
    ...(check.alert && { runbook: `Tenantwatch${check.alert}` }),
    enabled: settings.enabled,
    ...(assumption !== null && { assumption }),
    ...present,
    ...(partial !== null && { partial }),
    entities: state?.entities ?? null,
    notEvaluated,
    ...((notEvaluated ?? 0) > 0 && check.notEvaluatedWhere && { notEvaluatedWhere: check.notEvaluatedWhere }),
    evaluatedAt: state?.evaluatedAt ?? null,
    since: isAsStored ? state.since : null,
    severities: settings.severity === null ? check.severities : [settings.severity],
    open: counts?.open ?? {},
    waived: counts?.waived ?? {},
    ...(settings.enabled && problemsOf(check, state, notEvaluated ?? 0)),
  }
}

/** `2 API client secrets have expired`; of a check without open findings, the passing case. */
function titleOf({ title, failing }: Check, status: CheckStatus, open: SeverityCounts): string {
  const count = total(open)
  if (failing === undefined || status !== 'fail' || count === 0) return title
  if (typeof failing === 'string') return failing
  return plural(count, ...failing)
}

/** The problem of an own check, or the entities that another check could not evaluate. */
function problemsOf(
  { own }: Check,
  state: CheckStateRow | undefined,
  notEvaluated: number,
): Pick<CheckView, 'problem' | 'unevaluated'> {
  if (state?.problem == null) return {}
  if (own !== undefined) return { problem: state.problem }
  return notEvaluated > 0 ? { unevaluated: JSON.parse(state.problem) as readonly string[] } : {}
}

/** At most `entities`: a check whose single record is missing stores `notEvaluated` 1 and `entities` 0. */
function notEvaluatedOf(state: CheckStateRow | undefined): number | null {
  const { entities = null, notEvaluated = null } = state ?? {}
  return entities === null || notEvaluated === null ? null : Math.min(entities, notEvaluated)
}

/** The stored status with present ages and holds applied. A disabled check is `not_applicable`. */
function presentStatus(check: Check, { request, state }: CheckKnown, inputs: readonly InputQuality[]): DecidedStatus {
  const { tenant, now, evaluateIntervalMs } = request
  const { enabled, options } = settingsOf(check, tenant.settings)
  if (!enabled) return { status: 'not_applicable', reason: null }
  const limit = resultLimitMs(evaluateIntervalMs)
  const { status = 'unknown', reason = 'never' } = state ?? {}
  const aged = decideStatus({ found: { status, reason }, inputs, timeBased: check.timeBased })
  const rule = check.ruleOf(options, ruleContextOf(tenant.settings))
  // A result without a rule is only valid if it is `unknown`; else an input was switched off when it was stored.
  const isOfRule = state?.rule === rule || (state?.rule === null && state.status === 'unknown')
  const isKept = isFresh(state?.evaluatedAt ?? null, limit, now) && now <= (state?.validUntil ?? now)
  const isCurrent = state === undefined || (isOfRule && isKept)
  const dependsOnResult = aged.status === 'pass' || aged.status === 'fail' || aged.status === 'not_applicable'
  const isOff = inputs.some((input) => input.off)
  return isCurrent || isOff || !dependsOnResult ? aged : { status: 'unknown', reason: 'stale' }
}

/** `fresh` depends on age, not on refusals; it is false while the data may be another tenant's. */
function resourceView(
  resource: ResourceName,
  { enabled, incremental }: ResourceSettings,
  quality: TenantDataQuality,
  now: number,
): ResourceView {
  const { state, quarantined, missing, freshnessLimitMs, denied, input } = quality.resources[resource]
  const { blocked } = input
  const asOf = dataAsOf(state)
  const modes = [modeView('full', state, freshnessLimitMs)]
  if (incremental !== null)
    modes.unshift(modeView('incremental', state, incrementalFreshnessLimitMs(incremental.intervalMs)))
  return {
    resource,
    enabled,
    live: state.live,
    quarantined,
    missing,
    dataAsOf: asOf,
    firstCompleteAt: state.firstCompleteAt,
    freshnessLimitMs,
    fresh:
      isFresh(asOf, freshnessLimitMs, now) &&
      blocked !== 'stale' &&
      blocked !== 'tenant_changed' &&
      quality.sharedWith === undefined,
    ...(blocked === 'tenant_changed' && { formerTenant: true }),
    ...(isRefusal(blocked) && { refused: blocked }),
    ...(isRefusal(denied) && { accessRefused: true }),
    message: messageOf(resource, quality),
    modes,
  }
}

const endedHold = 'The hold has ended; the run under way or the next one reads the resource again'

/** The hold reason of the run that stored the message; null if that run did not fail by a hold. */
function heldReason({ fullAttemptAt, fullReason, incrementalAttemptAt, incrementalReason }: SyncState): Reason | null {
  // A successful incremental sync keeps the message of a failed full sync.
  const reason = ((incrementalAttemptAt ?? 0) > (fullAttemptAt ?? 0) ? incrementalReason : null) ?? fullReason
  return reason !== null && isHoldReason(reason) ? reason : null
}

/** If the token was refused at another resource, that resource's message, because the own one may be older. */
function messageOf(resource: ResourceName, { resources, holds }: TenantDataQuality): string | null {
  const { state: own, input } = resources[resource]
  const isRefusedElsewhere = isRefusal(input.blocked) && own.denied === null
  if (isRefusedElsewhere) {
    const states = Object.values(resources).map(({ state }) => state)
    const [latest] = states.toSorted((a, b) => (b.tokenRefusedAt ?? 0) - (a.tokenRefusedAt ?? 0))
    return latest?.message ?? null
  }
  if (input.off) return own.message
  const held = heldReason(own)
  // A hold of another resource may have failed the run.
  return held === null || holds.some(({ reason }) => reason === held) ? own.message : endedHold
}

function modeView(mode: SyncMode, state: SyncState, freshnessLimitMs: number): ModeView {
  const isFull = mode === 'full'
  const reason = isFull ? state.fullReason : incrementalFailure(state)
  const lastAttemptAt = isFull ? state.fullAttemptAt : state.incrementalAttemptAt
  const lastSuccessAt = isFull ? state.fullSuccessAt : state.incrementalSuccessAt
  return { mode, up: lastSuccessAt !== null && reason === null, lastAttemptAt, lastSuccessAt, freshnessLimitMs, reason }
}

async function readWaivers(known: Known, coverage: ReadonlyMap<string, Coverage>): Promise<readonly WaiverView[]> {
  const { tenant, waivers } = known.request
  const views: WaiverView[] = []
  for (const waiver of waivers.filter((one) => one.tenant === tenant.settings.name)) {
    const { id, check, entity, owner, reason, expiresMs: expiresAt } = waiver
    const counts = coverage.get(id) ?? { covered: 0, lapsed: 0, openAgain: 0 }
    const { covered, openAgain: lapsed } = counts
    const state = await stateOf(known, waiver, counts)
    views.push({ id, check, entity, owner, reason, expiresAt, state, covered, lapsed })
  }
  return views
}

async function stateOf(known: Known, waiver: Waiver, { covered, lapsed }: Coverage): Promise<WaiverState> {
  if (!isValid(waiver, known.quality.waiversAt)) return 'expired'
  if (covered > 0) return 'active'
  if (lapsed > 0) return 'lapsed'
  return (await isOrphaned(known, waiver)) ? 'orphaned' : 'active'
}

/** True if the check is off, or a complete full sync did not return the entity. */
async function isOrphaned({ request, quality }: Known, waiver: Waiver): Promise<boolean> {
  const { store, tenant, checks } = request
  const check = checks.find(({ id }) => id === waiver.check)
  if (check === undefined || !settingsOf(check, tenant.settings).enabled) return true
  const inputs = inputQualities(quality, inputsOf(check))
  if (inputs.some((input) => input.off)) return true
  if (waiver.entity === anyEntity || !inputs.every((input) => input.everComplete)) return false
  if (check.entity.isRecord) return !(await store.isLive(tenant.id, check.evaluates, guidKey(waiver.entity)))
  const fingerprints = fingerprintsOf(waiver, check)
  const filter = { tenantIds: [tenant.id], check: check.id, fingerprints, all: true }
  for await (const batch of store.findings(filter)) if (batch.length > 0) return false
  return true
}
