import { bearSeries } from './born-series.ts'
import { configGauges, type ReloadState, waiverGauge } from './config-gauges.ts'
import { createEvents, type MetricsEvents } from './events.ts'
import { openMetricsType, prometheusType, renderOpenMetrics, renderPrometheus } from './exposition.ts'
import type { Family } from './family.ts'
import { gatherGauges, type TenantReading } from './gather-gauges.ts'
import { createInstruments } from './instruments.ts'
import { wantsOpenMetrics } from './negotiate.ts'
import { fromMirror } from './posture-gauge.ts'
import type { MetricsConfig } from './shape.ts'

export interface MetricsOptions {
  readonly version: string
  /** Milliseconds since the epoch: when the configuration was first loaded. */
  readonly startedAt: number
  readonly config: MetricsConfig
  /** Reads every configured tenant; asked once a scrape, however many ask at the same time. */
  readonly read: () => Promise<readonly TenantReading[]>
  /** `mirror` leaves out what only a running daemon knows: counters, histograms, process and reload metrics. */
  readonly scope?: 'daemon' | 'mirror'
}

export interface Exposition {
  readonly contentType: string
  readonly body: string
}

export interface Metrics extends MetricsEvents {
  /** Takes a reloaded configuration: new series are born, those of tenants taken out vanish. */
  configure(config: MetricsConfig): void
  configReloaded(successful: boolean, at: number): void
  /**
   * The whole exposition in the format that an Accept header asks for, Prometheus text by default.
   *
   * @throws whatever the reading threw: a scrape is whole or fails, it is never partial.
   */
  render(accept?: string): Promise<Exposition>
}

/** Makes the metrics of one daemon; nothing is registered globally. */
export function createMetrics(options: MetricsOptions): Metrics {
  const daemon = options.scope !== 'mirror'
  const instruments = createInstruments({ processMetrics: daemon })
  const skews = new Map<string, number>()
  let config = options.config
  let reload: ReloadState = { successful: true, lastSuccessAt: options.startedAt }
  let underWay: Promise<readonly Family[]> | undefined

  const configure = (next: MetricsConfig) => {
    config = next
    for (const tenant of next.tenants) bearSeries(instruments, tenant)
  }
  const gather = async (): Promise<readonly Family[]> => {
    const now = config
    const readings = await options.read()
    const gauges = [...(await gatherGauges(now, readings)), skewGauge(now, readings, skews), waiverGauge(now)]
    const own = configGauges(options.version, reload)
    if (!daemon) return byName([...gauges, ...own.slice(0, 1)])
    const counted = (await instruments.collect()).map((family) => withoutOthers(family, now))
    return byName([...gauges, ...own, ...counted])
  }
  const shared = () => {
    underWay ??= gather().finally(() => {
      underWay = undefined
    })
    return underWay
  }
  configure(config)
  return {
    ...createEvents(instruments, skews),
    configure,
    configReloaded(successful, at) {
      reload = { successful, lastSuccessAt: successful ? at : reload.lastSuccessAt }
    },
    async render(accept) {
      const families = await shared()
      return wantsOpenMetrics(accept)
        ? { contentType: openMetricsType, body: renderOpenMetrics(families) }
        : { contentType: prometheusType, body: renderPrometheus(families) }
    },
  }
}

/** What the client saw last, else what the mirror remembers from before a restart; absent until an answer told it. */
function skewGauge(config: MetricsConfig, readings: readonly TenantReading[], skews: Map<string, number>): Family {
  const samples = config.tenants.flatMap(({ name }) => {
    const remembered = readings.find(({ posture }) => posture.tenant === name)?.posture.clockSkewMs ?? null
    const value = skews.get(name) ?? (remembered === null ? undefined : remembered / 1000)
    return value === undefined ? [] : [{ labels: { tenant: name }, value }]
  })
  const help = `Clock of the tenant's server minus the local clock, in seconds; absent until an answer told it. ${fromMirror}`
  return { name: 'tenantwatch_api_clock_skew_seconds', type: 'gauge', help, samples }
}

/** A tenant taken out loses its series at once; what its last runs still count is not shown. */
function withoutOthers(family: Family, config: MetricsConfig): Family {
  const names = new Set(config.tenants.map(({ name }) => name))
  const samples = family.samples.filter(({ labels }) => labels['tenant'] === undefined || names.has(labels['tenant']))
  return { ...family, samples }
}

function byName(families: readonly Family[]): readonly Family[] {
  return families.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
