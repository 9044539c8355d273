import { identityStates, type ModeView, type ResourceView, type TenantPosture } from '../model/posture.ts'
import type { Sample } from './family.ts'
import { fromMirror, type PostureGauge, timestampSeconds } from './posture-gauge.ts'
import type { TenantSeriesConfig } from './series-config.ts'

export const syncGauges: readonly PostureGauge[] = [
  {
    name: 'tenantwatch_hold',
    help: `1 while the engine holds back a change until an operator accepts it or its cause is gone; resource "all" is the whole tenant. ${fromMirror}`,
    labelNames: ['resource', 'reason'],
    samples: holdSamples,
  },
  {
    name: 'tenantwatch_mirror_records',
    help: `Live records in the mirror; absent before the first record, growing during the first full sync. ${fromMirror}`,
    labelNames: ['resource'],
    samples: (posture) =>
      enabled(posture)
        .filter(({ live, dataAsOf }) => live > 0 || dataAsOf !== null)
        .map(({ resource, live }) => ({ labels: { resource }, value: live })),
  },
  {
    name: 'tenantwatch_quarantined_records',
    help: `Records that failed validation, until a full sync returns a valid version or they are removed like live ones. ${fromMirror}`,
    labelNames: ['resource'],
    samples: (posture) =>
      enabled(posture).map(({ resource, quarantined }) => ({ labels: { resource }, value: quarantined })),
  },
  {
    name: 'tenantwatch_sync_freshness_limit_seconds',
    help: `Age of the last success, in seconds, beyond which the data is stale. ${fromMirror}`,
    labelNames: ['resource', 'mode'],
    samples: (posture) => eachMode(posture, (mode) => mode.freshnessLimitMs / 1000),
  },
  {
    name: 'tenantwatch_sync_last_attempt_timestamp_seconds',
    help: `Start of the last attempted run, in seconds since the epoch; 0 = never. ${fromMirror}`,
    labelNames: ['resource', 'mode'],
    samples: (posture) => eachMode(posture, (mode) => timestampSeconds(mode.lastAttemptAt)),
  },
  {
    name: 'tenantwatch_sync_last_success_timestamp_seconds',
    help: `Since when the data of the last successful run is complete: its start, or that of the full sync which it continued, in seconds since the epoch; 0 = never. ${fromMirror}`,
    labelNames: ['resource', 'mode'],
    samples: (posture) => eachMode(posture, (mode) => timestampSeconds(mode.lastSuccessAt)),
  },
  {
    name: 'tenantwatch_sync_up',
    help: `1 when the last run succeeded and was stored; 0 before the first run, and for incremental syncs that wait for a failing full sync. ${fromMirror}`,
    labelNames: ['resource', 'mode'],
    samples: (posture) => eachMode(posture, (mode) => Number(mode.up)),
  },
  {
    name: 'tenantwatch_tenant_identity',
    help: `State set: proven by ids of API clients or documents, unproven while there are none to compare or another configured tenant has the same ones, held while the data may be another tenant's. ${fromMirror}`,
    labelNames: ['state'],
    samples: ({ identity }) =>
      identityStates.map((state) => ({ labels: { state }, value: Number(state === identity) })),
  },
]

function enabled(posture: TenantPosture): readonly ResourceView[] {
  return posture.resources.filter((view) => view.enabled)
}

function eachMode(posture: TenantPosture, value: (mode: ModeView) => number): Sample[] {
  return enabled(posture).flatMap(({ resource, modes }) =>
    modes.map((mode) => ({ labels: { resource, mode: mode.mode }, value: value(mode) })),
  )
}

function holdSamples(posture: TenantPosture, config: TenantSeriesConfig): Sample[] {
  const values = new Map<string, Sample>()
  const put = (resource: string, reason: string, value: number) =>
    values.set(`${resource} ${reason}`, { labels: { resource, reason }, value })
  put('all', 'tenant_changed', 0)
  for (const { resource, holds } of config.resources) for (const reason of holds) put(resource, reason, 0)
  for (const { resource, reason } of posture.holds) put(resource, reason, 1)
  return [...values.values()]
}
