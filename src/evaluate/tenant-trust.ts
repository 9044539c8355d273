import type { TenantSettings } from '../config/settings.ts'
import type { HoldRow, PostureStore, ResourceTrust, SyncState, TenantRow } from '../mirror/port.ts'
import { sweepFreshnessLimitMs } from '../model/freshness.ts'
import { assessInput, type InputFacts, type InputTrust } from '../model/input-trust.ts'
import type { Reason } from '../model/reasons.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'

/** What of a tenant's settings verdicts hang on. */
export type JudgedSettings = Pick<
  TenantSettings,
  'name' | 'baseUrl' | 'ownClientId' | 'resources' | 'checks' | 'documents'
>

/** The tenant that is judged: its row in the mirror and its settings. */
export interface JudgedTenant {
  readonly id: number
  readonly settings: JudgedSettings
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
  store: PostureStore,
  { id, settings }: JudgedTenant,
  now: number,
): Promise<TenantTrust> {
  const tenant = id === unmirroredId ? unmirrored(settings) : await store.tenant(id)
  const [holds, stored] = await Promise.all([store.holds(id), store.trust(id)])
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

function unmirrored({ name, baseUrl }: JudgedSettings): TenantRow {
  const nothing = { clockSkewMs: null, changeAccepted: null, knownSince: null, admitted: null }
  return { id: unmirroredId, name, baseUrl, blockedUntil: 0, ...nothing }
}

/** The trust in the given inputs, in their order. */
export function inputTrusts(trust: TenantTrust, inputs: readonly ResourceName[]): readonly InputTrust[] {
  return inputs.flatMap((resource) => trust.resources.get(resource)?.input ?? [])
}

function limitOf(settings: JudgedSettings, resource: ResourceName, state: SyncState | undefined): number {
  const { freshnessMs, sweep } = settings.resources[resource]
  const durationMs = state?.completeDurationMs ?? null
  return sweepFreshnessLimitMs({ explicitMs: freshnessMs, intervalMs: sweep.intervalMs, durationMs })
}

interface Known {
  readonly resource: ResourceName
  readonly stored: ResourceTrust | undefined
  readonly tenant: TenantRow
  readonly holds: readonly HoldRow[]
  readonly settings: JudgedSettings
  readonly freshnessLimitMs: number
}

function factsOf({ resource, stored, tenant, holds, settings, freshnessLimitMs }: Known): InputFacts {
  const own = holds.filter((hold) => hold.resource === resource || hold.resource === 'all').map(({ reason }) => reason)
  const failedSweep = stored === undefined ? null : sweepFailure(stored.state)
  return {
    resource,
    enabled: settings.resources[resource].enabled,
    completeStartedAt: stored?.state.completeStartedAt ?? null,
    freshnessLimitMs,
    denied: stored?.state.denied ?? null,
    tenantInDoubt: own.includes('tenant_changed') || (tenant.changeAccepted ?? []).includes(resource),
    troubles: failedSweep === null ? own : [...own, failedSweep],
    quarantined: stored?.quarantined ?? 0,
    missing: stored?.missing ?? 0,
  }
}

/** Why the last sweep failed, unless a success of either mode followed. */
export function sweepFailure({ sweepReason, sweepAttemptAt, pollSuccessAt, sweepSuccessAt }: SyncState): Reason | null {
  const successAt = Math.max(pollSuccessAt ?? 0, sweepSuccessAt ?? 0)
  return sweepAttemptAt === null || sweepAttemptAt >= successAt ? sweepReason : null
}
