import type { TenantSettings } from '../config/settings.ts'
import type { InputQuality } from '../model/check-status.ts'
import { fullFreshnessLimitMs, isFresh } from '../model/freshness.ts'
import type { Reason, UnknownReason } from '../model/reasons.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { greatestSkewMs, isSkewed, type SkewOf } from '../model/server-clock.ts'
import type { HoldRow, PostureStore, ResourceQuality, SyncState, TenantRow } from '../store/port.ts'
import { type Check, type CheckOptions, inputsOf } from './check.ts'

export type EvaluatedSettings = Pick<
  TenantSettings,
  'name' | 'ownClientId' | 'resources' | 'checks' | 'users' | 'roles' | 'documents'
>

export interface EvaluatedTenant {
  readonly id: number
  readonly settings: EvaluatedSettings
  /** Absent = the stored skew. */
  readonly skewOf?: SkewOf
  /** Another configured tenant with the same API clients or documents; it is unknown to which one they belong. */
  readonly sharedWith?: string
}

/** The id of a tenant of which nothing is mirrored yet. */
export const unmirroredId = 0

const unmirrored = { id: unmirroredId, blockedUntil: 0, changeAccepted: null, former: [] }

export interface TenantDataQuality {
  readonly tenant: Pick<TenantRow, keyof typeof unmirrored>
  readonly holds: readonly HoldRow[]
  /** With those of resources that are switched off: their removals are not decided. */
  readonly allHolds: readonly HoldRow[]
  readonly resources: Readonly<Record<ResourceName, MeasuredQuality>>
  /** The latest of local time, newest stored time and server time. */
  readonly waiversAt: number
  /** See `EvaluatedTenant`. If set, no check may use the data; the quality of each resource does not reflect it. */
  readonly sharedWith?: string
}

export interface MeasuredQuality extends ResourceQuality {
  readonly freshnessLimitMs: number
  readonly skewMs: number | null
  /** Refusal of this resource or of the token since the last success; also set while a hold blocks the input. */
  readonly denied: Reason | null
  readonly input: InputQuality
}

export async function readDataQuality(
  store: PostureStore,
  { id, settings, skewOf, sharedWith }: EvaluatedTenant,
  now: number,
): Promise<TenantDataQuality> {
  const tenant: TenantDataQuality['tenant'] = id === unmirroredId ? unmirrored : await store.tenant(id)
  const isOff = (resource: ResourceName) => !settings.resources[resource].enabled
  const allHolds = await store.holds(id)
  const holds = allHolds.filter(({ resource }) => resource === 'all' || !isOff(resource))
  const stored = await store.quality(id)
  const newest = await store.unconfirmedTime()
  // Until a response confirms the clock, ages are meaningless.
  const clockIsBehind = newest !== null && now < newest
  const refused = isTokenRefused(stored)
  const measured = stored.map((own): [ResourceName, MeasuredQuality] => {
    const { state } = own
    const { resource } = state
    const held = holds
      .filter((hold) => hold.resource === resource || hold.resource === 'all')
      .map(({ reason }) => reason)
    const freshnessLimitMs = fullFreshnessLimitMs(settings.resources[resource], state.completeDurationMs)
    const skewMs = presentSkewMs(skewOf?.(resource), state)
    const clock = clockOf(skewMs)
    const denied = state.denied ?? (refused ? 'unauthorized' : null)
    const former = tenant.former.includes(resource)
    const isChanged = held.includes('tenant_changed') || (tenant.changeAccepted ?? []).includes(resource)
    const completeAt = dataAsOf(state)
    const isCurrent = !clockIsBehind && isFresh(completeAt, freshnessLimitMs, now)
    const ifNotCurrent = completeAt === null ? 'never' : 'stale'
    const input: InputQuality = {
      ...{ resource, former, clock },
      off: isOff(resource),
      everComplete: completeAt !== null,
      blocked:
        (isChanged ? 'tenant_changed' : denied) ??
        (former ? 'tenant_changed' : null) ??
        (isCurrent ? null : ifNotCurrent),
      partial: [...partialReasons(own, held, clock)],
    }
    return [resource, { ...own, freshnessLimitMs, skewMs, denied, input }]
  })
  const resources = Object.fromEntries(measured) as TenantDataQuality['resources']
  const waiversAt = waiverTime(now, await store.latestTime(), stored)
  return { tenant, holds, allHolds, resources, waiversAt, ...(sharedWith !== undefined && { sharedWith }) }
}

function* partialReasons(
  { state, quarantined, missing }: ResourceQuality,
  held: readonly Reason[],
  clock: InputQuality['clock'],
): Generator<UnknownReason> {
  const problems = [...held, fullFailure(state)]
  if (quarantined > 0) yield 'quarantined'
  if (problems.includes('shrink_held')) yield 'shrink_held'
  if (problems.includes('suspect_empty')) yield 'suspect_empty'
  if (missing > 0) yield 'missing_records'
  if (clock === 'behind') yield 'clock_skew'
}

function clockOf(skewMs: number | null): InputQuality['clock'] {
  if (skewMs === null) return 'unknown'
  if (!isSkewed(skewMs)) return 'agrees'
  return skewMs > 0 ? 'ahead' : 'behind'
}

/** True while the tenant refuses the token for all resources, also for those that are not due yet. */
function isTokenRefused(stored: readonly ResourceQuality[]): boolean {
  const latest = (times: readonly (number | null)[]) =>
    Math.max(...times.map((time) => time ?? Number.NEGATIVE_INFINITY))
  const states = stored.map(({ state }) => state)
  return (
    latest(states.map(({ tokenRefusedAt }) => tokenRefusedAt)) >
    latest(states.flatMap((state) => [state.incrementalSuccessAt, state.fullSuccessAt]))
  )
}

/** The latest of all known clocks, so that a slow or reset local clock does not extend waivers. */
export function waiverTime(now: number, newest: number, stored: readonly ResourceQuality[]): number {
  const { serverTime = null, serverTimeAt = null } = lastAnswered(now, stored)?.state ?? {}
  const skewMs = between(serverTime, serverTimeAt)
  return Math.max(now, newest, isSkewed(skewMs) ? now + (skewMs ?? 0) : now)
}

/** The resource with the latest answer; a time that is still to come is of a clock that was set back since. */
export function lastAnswered<Quality extends ResourceQuality>(now: number, stored: readonly Quality[]) {
  const answeredAt = ({ state }: Quality) => state.serverTimeAt ?? 0
  const before = stored.filter((one) => answeredAt(one) <= now)
  return before.toSorted((a, b) => answeredAt(b) - answeredAt(a))[0]
}

function presentSkewMs(live: number | null | undefined, state: SyncState): number | null {
  const complete = between(state.completeServerTime, state.completeStartedAt)
  const present = live === undefined ? between(state.serverTime, state.serverTimeAt) : live
  // The last complete full sync may have read an old answer, whatever newer runs state.
  return complete !== null && complete < -greatestSkewMs ? Math.min(complete, present ?? complete) : present
}

function between(serverTime: number | null, at: number | null): number | null {
  return serverTime === null || at === null ? null : serverTime - at
}

export function greatestSkewOf({ resources }: TenantDataQuality, now: number): number | null {
  const skews = Object.values(resources).flatMap(({ state, skewMs, freshnessLimitMs, input }) => {
    const readAt = state.serverTime
    if (input.off || skewMs === null || readAt === null) return []
    // Uses the server's clock, because the local one may be wrong.
    return now + skewMs - readAt <= freshnessLimitMs ? [skewMs] : []
  })
  return skews.reduce<number | null>(
    (most, skew) => (Math.abs(skew) > Math.abs(most ?? 0) ? skew : (most ?? skew)),
    null,
  )
}

export function inputQualities(quality: TenantDataQuality, inputs: readonly ResourceName[]): readonly InputQuality[] {
  const measured = inputs.map((resource) => quality.resources[resource].input)
  if (quality.sharedWith === undefined) return measured
  return measured.map((input) => ({ ...input, blocked: 'tenant_changed' }))
}

/** Start of the last complete full sync; null until the first run has ended, which reads details last. */
export function dataAsOf({ incrementalAttemptAt, fullAttemptAt, completeStartedAt }: SyncState): number | null {
  return (incrementalAttemptAt ?? fullAttemptAt) === null ? null : completeStartedAt
}

/** Why incremental syncs fail: the last one's reason, or that of the full sync for which they wait. */
export function incrementalFailure({
  incrementalReason,
  fullReason,
  cursor,
  fullSyncOwed,
  incrementalPaused,
}: SyncState): Reason | null {
  const waits = cursor === null || fullSyncOwed || incrementalPaused
  return incrementalReason ?? (waits ? fullReason : null)
}

export function fullFailure({
  fullReason,
  fullAttemptAt,
  incrementalSuccessAt,
  fullSuccessAt,
}: SyncState): Reason | null {
  const successAt = Math.max(incrementalSuccessAt ?? 0, fullSuccessAt ?? 0)
  return fullAttemptAt === null || fullAttemptAt >= successAt ? fullReason : null
}

/** Inputs of a check with these options; all are switched off if the check is not configured. */
export function usableInputs(
  check: Check,
  {
    quality,
    now,
    options,
  }: { readonly quality: TenantDataQuality; readonly now: number; readonly options: CheckOptions },
): readonly InputQuality[] {
  const { maxAgeMs } = check
  const inputs = inputQualities(quality, inputsOf(check))
  if (check.isConfigured?.(options) === false) return inputs.map((input) => ({ ...input, off: true }))
  if (maxAgeMs === undefined) return inputs
  return inputs.map((input) => {
    const readAt = dataAsOf(quality.resources[input.resource].state)
    return input.blocked === null && !isFresh(readAt, maxAgeMs, now) ? { ...input, blocked: 'stale' } : input
  })
}
