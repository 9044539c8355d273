import type { Family, Sample } from './family.ts'
import { labelText } from './label-text.ts'
import { timestampSeconds } from './posture-gauge.ts'
import type { MetricsConfig } from './shape.ts'

export interface ReloadState {
  readonly successful: boolean
  /** Milliseconds since the epoch. */
  readonly lastSuccessAt: number
}

/** The version that runs. */
export function buildInfo(version: string): Family {
  return gauge('tenantwatch_build_info', 'Always 1; the label is the version that runs.', [
    { labels: { version }, value: 1 },
  ])
}

/** How the last loading of the configuration went; only a running daemon knows. */
export function reloadGauges(reload: ReloadState): readonly Family[] {
  return [
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

/** When each waiver of a configured tenant ends. */
export function waiverGauge({ tenants, waivers }: MetricsConfig): Family {
  const names = new Set(tenants.map(({ name }) => name))
  const samples = new Map<string, Sample>()
  for (const { id, check, tenant, expiresMs } of waivers.filter((waiver) => names.has(waiver.tenant))) {
    const labels = { tenant, check: labelText(check), waiver: labelText(id) }
    samples.set(JSON.stringify(labels), { labels, value: timestampSeconds(expiresMs) })
  }
  return gauge(
    'tenantwatch_waiver_expiration_timestamp_seconds',
    'Last instant a waiver is valid, in seconds since the epoch. Read from the configuration.',
    [...samples.values()],
  )
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: 'gauge', help, samples }
}
