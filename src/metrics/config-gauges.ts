import type { StoreSize } from '../store/db/sqlite/database-file.ts'
import type { Family, FamilyDefinition, Sample } from './family.ts'
import { labelText } from './label-text.ts'
import { fromMirror, timestampSeconds } from './posture-gauge.ts'
import type { MetricsConfig } from './series-config.ts'

export const ownGauges = {
  skew: {
    name: 'tenantwatch_api_clock_skew_seconds',
    help: `Clock of the tenant's server minus the local clock, in seconds: the greatest difference among resources that are fresh; absent when none is known. ${fromMirror}`,
    labelNames: ['tenant'],
  },
  build: {
    name: 'tenantwatch_build_info',
    help: 'Always 1; the label is the running version.',
    labelNames: ['version'],
  },
  reloadSuccessful: {
    name: 'tenantwatch_config_last_reload_successful',
    help: '1 when the last load or reload of the configuration succeeded.',
    labelNames: [],
  },
  reloadSuccessAt: {
    name: 'tenantwatch_config_last_reload_success_timestamp_seconds',
    help: 'Time of the last successful load of the configuration, in seconds since the epoch.',
    labelNames: [],
  },
  store: {
    name: 'tenantwatch_store_size_bytes',
    help: 'Size of the database file and of its write-ahead log, in bytes.',
    labelNames: ['file'],
  },
  waiverEnds: {
    name: 'tenantwatch_waiver_expiration_timestamp_seconds',
    help: 'Last instant at which the waiver is valid, in seconds since the epoch. Read from the configuration.',
    labelNames: ['tenant', 'check', 'waiver'],
  },
} as const satisfies Readonly<Record<string, FamilyDefinition>>

export interface ReloadState {
  readonly successful: boolean
  /** Milliseconds since the epoch. */
  readonly lastSuccessAt: number
}

export function buildInfo(version: string): Family {
  return gauge(ownGauges.build, [{ labels: { version }, value: 1 }])
}

export function reloadGauges(reload: ReloadState): readonly Family[] {
  return [
    gauge(ownGauges.reloadSuccessful, [{ labels: {}, value: Number(reload.successful) }]),
    gauge(ownGauges.reloadSuccessAt, [{ labels: {}, value: timestampSeconds(reload.lastSuccessAt) }]),
  ]
}

export function storeGauge({ bytes, walBytes }: StoreSize): Family {
  return gauge(ownGauges.store, [
    { labels: { file: 'database' }, value: bytes },
    { labels: { file: 'wal' }, value: walBytes },
  ])
}

export function skewFamily(samples: readonly Sample[]): Family {
  return gauge(ownGauges.skew, samples)
}

export function waiverGauge({ tenants, waivers }: MetricsConfig): Family {
  const names = new Set(tenants.map(({ name }) => name))
  const samples = new Map<string, Sample>()
  for (const { id, check, tenant, expiresMs } of waivers.filter((waiver) => names.has(waiver.tenant))) {
    const labels = { tenant, check: labelText(check), waiver: labelText(id) }
    samples.set(JSON.stringify(labels), { labels, value: timestampSeconds(expiresMs) })
  }
  return gauge(ownGauges.waiverEnds, [...samples.values()])
}

function gauge({ name, help }: FamilyDefinition, samples: readonly Sample[]): Family {
  return { name, type: 'gauge', help, samples }
}
