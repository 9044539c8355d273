import { identityStates, type ModeView, type ResourceView, type TenantPosture } from '../model/posture.ts'
import { type AddSeries, fromMirror, timestampSeconds } from './family.ts'
import type { TenantFacts, TenantGauge } from './tenant-facts.ts'

export const syncGauges: readonly TenantGauge[] = [
  {
    name: 'tenantwatch_access_refused',
    help: `1 while the tenant refuses access to the resource: from a run that fails as unauthorized or missing_permission until the next one that succeeds; failures for other reasons in between do not end it. ${fromMirror}`,
    labelNames: ['resource'],
    each({ posture }, add) {
      for (const { resource, accessRefused = false } of enabled(posture)) add(Number(accessRefused), resource)
    },
  },
  {
    name: 'tenantwatch_api_clock_skew_seconds',
    help: `Clock of the tenant's server minus the local clock, in seconds: the greatest difference among resources that are fresh; absent when none is known. ${fromMirror}`,
    labelNames: [],
    each({ posture: { clockSkewMs } }, add) {
      if (clockSkewMs !== null) add(clockSkewMs / 1000)
    },
  },
  {
    name: 'tenantwatch_hold',
    help: `1 while the engine holds back a change until an operator accepts it or its cause is gone; resource "all" is the whole tenant. ${fromMirror}`,
    labelNames: ['resource', 'reason'],
    each: eachHold,
  },
  {
    name: 'tenantwatch_mirror_records',
    help: `Live records in the mirror; absent before the first record, growing during the first full sync. ${fromMirror}`,
    labelNames: ['resource'],
    each({ posture }, add) {
      for (const { resource, live, dataAsOf } of enabled(posture))
        if (live > 0 || dataAsOf !== null) add(live, resource)
    },
  },
  {
    name: 'tenantwatch_quarantined_records',
    help: `Records that failed validation, until a full sync returns a valid version or they are removed like live ones. ${fromMirror}`,
    labelNames: ['resource'],
    each({ posture }, add) {
      for (const { resource, quarantined } of enabled(posture)) add(quarantined, resource)
    },
  },
  {
    name: 'tenantwatch_sync_first_success_timestamp_seconds',
    help: `When the first full sync of the resource was complete, in seconds since the epoch; 0 = never. ${fromMirror}`,
    labelNames: ['resource'],
    each({ posture }, add) {
      for (const { resource, firstCompleteAt } of enabled(posture)) add(timestampSeconds(firstCompleteAt), resource)
    },
  },
  {
    name: 'tenantwatch_sync_freshness_limit_seconds',
    help: `Age of the last success, in seconds, beyond which the data is stale. ${fromMirror}`,
    labelNames: ['resource', 'mode'],
    each: ({ posture }, add) => eachMode(posture, add, (mode) => mode.freshnessLimitMs / 1000),
  },
  {
    name: 'tenantwatch_sync_last_attempt_timestamp_seconds',
    help: `Start of the last attempted run, in seconds since the epoch; 0 = never. ${fromMirror}`,
    labelNames: ['resource', 'mode'],
    each: ({ posture }, add) => eachMode(posture, add, (mode) => timestampSeconds(mode.lastAttemptAt)),
  },
  {
    name: 'tenantwatch_sync_last_success_timestamp_seconds',
    help: `Since when the data of the last successful run is complete: its start, or the start of the full sync that it continued, in seconds since the epoch; 0 = never. A full sync that read everything and whose removals are on hold counts. ${fromMirror}`,
    labelNames: ['resource', 'mode'],
    each: ({ posture }, add) =>
      eachMode(posture, add, (mode, view) => timestampSeconds(completeAt(posture, mode, view))),
  },
  {
    name: 'tenantwatch_sync_up',
    help: `1 when the last run succeeded and was stored; 0 before the first run, and for incremental syncs that wait for a failing full sync. ${fromMirror}`,
    labelNames: ['resource', 'mode'],
    each: ({ posture }, add) => eachMode(posture, add, (mode) => Number(mode.up)),
  },
  {
    name: 'tenantwatch_tenant_identity',
    help: `State set: proven by ids of API clients or documents, unproven while there are none to compare or another configured tenant has the same ones, held while the data may be another tenant's. ${fromMirror}`,
    labelNames: ['state'],
    each({ posture: { identity } }, add) {
      for (const state of identityStates) add(Number(state === identity), state)
    },
  },
]

function enabled(posture: TenantPosture): readonly ResourceView[] {
  return posture.resources.filter((view) => view.enabled)
}

function eachMode(posture: TenantPosture, add: AddSeries, value: (mode: ModeView, view: ResourceView) => number): void {
  for (const view of enabled(posture)) for (const mode of view.modes) add(value(mode, view), view.resource, mode.mode)
}

/**
 * A full sync whose removals are on hold fails, but its data is complete and fresh (docs/internals/sync.md#6-shrink-guard). A time
 * ahead of the clock was recorded before the clock was set back and must not count as fresh.
 */
function completeAt({ at }: TenantPosture, { mode, lastSuccessAt }: ModeView, { dataAsOf }: ResourceView) {
  if (mode !== 'full' || dataAsOf === null || dataAsOf > at) return lastSuccessAt
  return Math.max(dataAsOf, lastSuccessAt ?? 0)
}

function eachHold({ posture: { holds }, config: { resources } }: TenantFacts, add: AddSeries): void {
  const keyOf = (resource: string, reason: string) => `${resource} ${reason}`
  const held = new Set(holds.map(({ resource, reason }) => keyOf(resource, reason)))
  const put = (resource: string, reason: string) => add(Number(held.delete(keyOf(resource, reason))), resource, reason)
  put('all', 'tenant_changed')
  for (const { resource, holds: reasons } of resources) for (const reason of reasons) put(resource, reason)
  // Holds of a resource that is switched off, or for a reason that it no longer has.
  for (const { resource, reason } of holds) if (held.has(keyOf(resource, reason))) put(resource, reason)
}
