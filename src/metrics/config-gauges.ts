import type { Waiver } from '../config/settings.ts'
import type { Family, Sample } from './family.ts'
import { labelText } from './label-text.ts'
import { timestampSeconds } from './posture-gauge.ts'
import type { MetricsConfig } from './shape.ts'

export interface ReloadState {
  readonly successful: boolean
  /** Milliseconds since the epoch. */
  readonly lastSuccessAt: number
}

/** Gauges of the daemon itself: they need no store. */
export function configGauges(version: string, reload: ReloadState): readonly Family[] {
  return [
    gauge('tenantwatch_build_info', 'Always 1; the label is the version that runs.', [
      { labels: { version }, value: 1 },
    ]),
    gauge('tenantwatch_config_last_reload_successful', '1 when the last loading of the configuration succeeded.', [
      { labels: {}, value: Number(reload.successful) },
    ]),
    gauge(
      'tenantwatch_config_last_reload_success_timestamp_seconds',
      'When the configuration was last loaded with success, in seconds since the epoch.',
      [{ labels: {}, value: timestampSeconds(reload.lastSuccessAt) }],
    ),
  ]
}

/** When each waiver ends; one for all tenants (`*`) is a series of each. */
export function waiverGauge(config: MetricsConfig): Family {
  const samples = new Map<string, Sample>()
  for (const waiver of config.waivers) {
    for (const tenant of tenantsOf(waiver, config)) {
      const labels = { tenant, check: labelText(waiver.check), waiver: labelText(waiver.id) }
      samples.set(JSON.stringify(labels), { labels, value: timestampSeconds(waiver.expiresMs) })
    }
  }
  return gauge(
    'tenantwatch_waiver_expiration_timestamp_seconds',
    'Last instant a waiver is valid, in seconds since the epoch. Read from the configuration.',
    [...samples.values()],
  )
}

function tenantsOf(waiver: Waiver, config: MetricsConfig): readonly string[] {
  const names = config.tenants.map(({ name }) => name)
  return waiver.tenant === '*' ? names : names.filter((name) => name === waiver.tenant)
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: 'gauge', help, samples }
}
