import type { StoreSize } from '../mirror/sqlite/store-size.ts'
import { bytePieces } from './byte-pieces.ts'
import { buildInfo, type ReloadState, reloadGauges, skewFamily, storeGauge, waiverGauge } from './config-gauges.ts'
import { createEvents, type MetricsEvents } from './events.ts'
import { openMetricsEnd, openMetricsType, prometheusType } from './exposition.ts'
import type { Family, Sample } from './family.ts'
import { findingSamples } from './finding-gauge.ts'
import { gatherGauges, type TenantReading } from './gather-gauges.ts'
import { createInstruments } from './instruments.ts'
import { wantsOpenMetrics } from './negotiate.ts'
import { preinitializeSeries } from './preinitialize.ts'
import type { MetricsConfig } from './series-config.ts'
import { mostAtOnce, yieldAfter } from './yield-to-event-loop.ts'

export interface MetricsOptions {
  readonly version: string
  /** Milliseconds since the epoch: when the configuration was first loaded. */
  readonly startedAt: number
  readonly config: MetricsConfig
  /** Reads every configured tenant; asked once a scrape, however many ask at the same time for the same format. */
  readonly read: () => Promise<readonly TenantReading[]>
  /** Looks how large the files of the mirror are. */
  readonly storeSize?: () => StoreSize
  /** `mirror` leaves out what only a running daemon knows: counters, histograms, process and reload metrics. */
  readonly scope?: 'daemon' | 'mirror'
}

export interface Exposition {
  readonly contentType: string
  /** UTF-8, in pieces: of many tenants it is too large for one string, which would be copied on its way out. */
  readonly body: readonly Uint8Array[]
}

export interface Metrics extends MetricsEvents {
  /** Takes a reloaded configuration: new series are born, those of tenants taken out vanish. */
  configure(config: MetricsConfig): void
  configReloaded(successful: boolean, at: number): void
  /**
   * The whole exposition in the format that an Accept header asks for, Prometheus text by default. Nothing of it is
   * handed over before all of it is there.
   *
   * @throws whatever the reading threw: a scrape is whole or fails, it is never partial.
   */
  render(accept?: string): Promise<Exposition>
}

/** Makes the metrics of one daemon; nothing is registered globally. */
export function createMetrics(options: MetricsOptions): Metrics {
  const daemon = options.scope !== 'mirror'
  const instruments = createInstruments({ processMetrics: daemon })
  const findingSample = findingSamples()
  let config = options.config
  let reload: ReloadState = { successful: true, lastSuccessAt: options.startedAt }
  const underWay = new Map<string, Promise<Exposition>>()

  const configure = (next: MetricsConfig) => {
    config = next
    for (const tenant of next.tenants) preinitializeSeries(instruments, tenant)
  }
  const gather = async (): Promise<readonly Family[]> => {
    const now = config
    const readings = await options.read()
    const own = [skewGauge(now, readings), waiverGauge(now), buildInfo(options.version)]
    const gauges = [...(await gatherGauges(now, readings, findingSample)), ...own]
    if (!daemon) return byName(gauges)
    const counted = await instruments.collect(shownSeries(now))
    const store = options.storeSize === undefined ? [] : [storeGauge(options.storeSize())]
    return byName([...gauges, ...reloadGauges(reload), ...store, ...counted])
  }
  const render = async (contentType: Exposition['contentType']): Promise<Exposition> => {
    const openMetrics = contentType === openMetricsType
    const breathe = yieldAfter(mostAtOnce)
    const body: Uint8Array[] = []
    for (const family of await gather()) body.push(...(await bytePieces(family, openMetrics, breathe)))
    if (openMetrics) body.push(Buffer.from(openMetricsEnd))
    return { contentType, body }
  }
  configure(config)
  return {
    ...createEvents(instruments),
    configure,
    configReloaded(successful, at) {
      reload = { successful, lastSuccessAt: successful ? at : reload.lastSuccessAt }
    },
    render(accept) {
      const contentType = wantsOpenMetrics(accept) ? openMetricsType : prometheusType
      const begun = underWay.get(contentType)
      if (begun !== undefined) return begun
      const rendering = render(contentType).finally(() => underWay.delete(contentType))
      underWay.set(contentType, rendering)
      return rendering
    },
  }
}

/** Absent while no resource was read within its limit, or no answer told a time. */
function skewGauge(config: MetricsConfig, readings: readonly TenantReading[]): Family {
  const known = new Map(readings.map(({ posture }) => [posture.tenant, posture.clockSkewMs]))
  const samples = config.tenants.flatMap(({ name }) => {
    const skewMs = known.get(name) ?? null
    return skewMs === null ? [] : [{ labels: { tenant: name }, value: skewMs / 1000 }]
  })
  return skewFamily(samples)
}

/** A tenant taken out loses its series at once, as does a resource switched off; what last runs still count is not shown. */
function shownSeries(config: MetricsConfig): (labels: Sample['labels']) => boolean {
  const shown = new Map(
    config.tenants.map(({ name, resources }) => [name, new Set<string>(resources.map((one) => one.resource))]),
  )
  return ({ tenant, resource }) => {
    if (tenant === undefined) return true
    const resources = shown.get(tenant)
    return resources !== undefined && (resource === undefined || resources.has(resource))
  }
}

function byName(families: readonly Family[]): readonly Family[] {
  return families.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
