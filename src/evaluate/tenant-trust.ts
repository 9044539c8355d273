import type { TenantSettings } from '../config/settings.ts'
import type { FindingStore, HoldRow, ResourceTrust, SyncState, TenantRow } from '../mirror/port.ts'
import { sweepFreshnessLimitMs } from '../model/freshness.ts'
import { assessInput, type InputFacts, type InputTrust } from '../model/input-trust.ts'
import type { Reason } from '../model/reasons.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'

/** The tenant that is judged: its row in the mirror and its settings. */
export interface JudgedTenant {
  readonly id: number
  readonly settings: TenantSettings
}

/** How far the mirror of a tenant can be trusted at one instant. */
export interface TenantTrust {
  readonly tenant: TenantRow
  readonly holds: readonly HoldRow[]
  readonly resources: ReadonlyMap<ResourceName, MeasuredTrust>
}

export interface MeasuredTrust {
  /** Undefined while nothing of the resource was ever asked for. */
  readonly stored: ResourceTrust | undefined
  readonly freshnessLimitMs: number
  readonly input: InputTrust
}

/**
 * Reads what the trust in a tenant's mirror hangs on.
 *
 * @throws Error when the mirror does not know the tenant.
 */
export async function readTrust(
  store: FindingStore,
  { id, settings }: JudgedTenant,
  now: number,
): Promise<TenantTrust> {
  const [tenants, holds, stored] = await Promise.all([store.tenants(), store.holds(id), store.trust(id)])
  const tenant = id === unmirroredId ? unmirrored(settings) : tenants.find((row) => row.id === id)
  if (tenant === undefined) throw new Error(`Cannot judge tenant ${settings.name}: the mirror has no row ${id}`)
  const resources = new Map<ResourceName, MeasuredTrust>()
  for (const resource of resourceNames) {
    const own = stored.find(({ state }) => state.resource === resource)
    const freshnessLimitMs = limitOf(settings, resource, own?.state)
    const facts = factsOf({ resource, stored: own, tenant, holds, settings, freshnessLimitMs })
    resources.set(resource, { stored: own, freshnessLimitMs, input: assessInput(facts, now) })
  }
  return { tenant, holds, resources }
}

/** Stands for the row of a tenant that is configured but was never synced: nothing is known of it. */
export const unmirroredId = 0

function unmirrored({ name, baseUrl }: TenantSettings): TenantRow {
  return { id: unmirroredId, name, baseUrl, blockedUntil: 0, clockSkewMs: null, changeAccepted: null }
}

/** The trust in the given inputs, in their order. */
export function inputTrusts(trust: TenantTrust, inputs: readonly ResourceName[]): readonly InputTrust[] {
  return inputs.flatMap((resource) => trust.resources.get(resource)?.input ?? [])
}

function limitOf(settings: TenantSettings, resource: ResourceName, state: SyncState | undefined): number {
  const { freshnessMs, sweep } = settings.resources[resource]
  const durationMs = state?.completeDurationMs ?? null
  return sweepFreshnessLimitMs({ explicitMs: freshnessMs, intervalMs: sweep.intervalMs, durationMs })
}

interface Known {
  readonly resource: ResourceName
  readonly stored: ResourceTrust | undefined
  readonly tenant: TenantRow
  readonly holds: readonly HoldRow[]
  readonly settings: TenantSettings
  readonly freshnessLimitMs: number
}

function factsOf({ resource, stored, tenant, holds, settings, freshnessLimitMs }: Known): InputFacts {
  const own = holds.filter((hold) => hold.resource === resource || hold.resource === 'all').map(({ reason }) => reason)
  const failedSweep = stored === undefined ? null : sinceSuccess(stored.state, 'sweep')
  return {
    resource,
    enabled: settings.resources[resource].enabled,
    completeStartedAt: stored?.state.completeStartedAt ?? null,
    freshnessLimitMs,
    denied: stored === undefined ? null : deniedBy(stored.state),
    tenantInDoubt: own.includes('tenant_changed') || (tenant.changeAccepted ?? []).includes(resource),
    troubles: failedSweep === null ? own : [...own, failedSweep],
    quarantined: stored?.quarantined ?? 0,
    missing: stored?.missing ?? 0,
  }
}

/** The refusal that no success of either mode followed: both ask under the same permission. */
function deniedBy(state: SyncState): Reason | null {
  const failures = [sinceSuccess(state, 'sweep'), sinceSuccess(state, 'poll')]
  return failures.find((reason) => reason === 'unauthorized' || reason === 'missing_permission') ?? null
}

function sinceSuccess(state: SyncState, mode: 'poll' | 'sweep'): Reason | null {
  const [reason, attemptAt] =
    mode === 'poll' ? [state.pollReason, state.pollAttemptAt] : [state.sweepReason, state.sweepAttemptAt]
  const successAt = Math.max(state.pollSuccessAt ?? 0, state.sweepSuccessAt ?? 0)
  return attemptAt === null || attemptAt >= successAt ? reason : null
}
