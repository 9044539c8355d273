import { yieldAfter } from '../model/yield-to-event-loop.ts'
import type { StoreSize } from '../store/db/sqlite/database-file.ts'
import { buildInfo, type ReloadState, reloadGauges, skewFamily, storeGauge, waiverGauge } from './config-gauges.ts'
import { createEvents, type MetricsEvents } from './events.ts'
import { familyChunks, openMetricsEnd, openMetricsType, prometheusType } from './exposition.ts'
import type { Family, Sample } from './family.ts'
import { findingLines } from './finding-gauge.ts'
import { gatherGauges, type TenantReading } from './gather-gauges.ts'
import { createInstruments } from './instruments.ts'
import { preinitializeSeries } from './preinitialize.ts'
import { type ReplicaReading, replicaFamilies } from './replica-gauges.ts'
import type { MetricsConfig } from './series-config.ts'
import { seriesRenderer } from './series-renderer.ts'

/** Characters rendered in one turn of the event loop: about 10 ms of work. */
const charactersPerTurn = 400_000

/** Tenants whose series are initialized in one turn of the event loop: about 10 ms of work. */
const tenantsPerTurn = 20

export interface MetricsOptions {
  readonly version: string
  /** First load of the configuration, milliseconds since the epoch. */
  readonly startedAt: number
  /** Its series are initialized in one go; use `configure` for many tenants. */
  readonly config: MetricsConfig
  /** Reads every configured tenant; called once for concurrent scrapes of one format. */
  readonly read: () => Promise<readonly TenantReading[]>
  readonly storeSize?: () => StoreSize
  /** Absent or null if no replicas share the tenants. */
  readonly replica?: () => ReplicaReading | null
  /** `mirror` omits metrics of a running daemon: counters, histograms, process and reload metrics. */
  readonly scope?: 'daemon' | 'mirror'
}

export interface Exposition {
  readonly contentType: string
  /** UTF-8 chunks, because the text of many tenants is too large for one string. */
  readonly body: readonly Uint8Array[]
}

export interface Metrics extends MetricsEvents {
  /** Applies another configuration: initializes new series, in parts, and hides those of removed tenants. */
  configure(config: MetricsConfig): Promise<void>
  configReloaded(successful: boolean, at: number): void
  /**
   * The exposition in the format of the Accept header, Prometheus text by default.
   *
   * @throws the error of a failed read: a scrape is complete or fails.
   */
  render(accept?: string): Promise<Exposition>
}

export function createMetrics(options: MetricsOptions): Metrics {
  const daemon = options.scope !== 'mirror'
  const instruments = createInstruments({ processMetrics: daemon })
  const renderers = { lineOf: findingLines(), renderSeries: seriesRenderer() }
  let config = options.config
  let reload: ReloadState = { successful: true, lastSuccessAt: options.startedAt }
  const inFlight = new Map<string, Promise<Exposition>>()

  const gather = async (): Promise<readonly Family[]> => {
    const configured = config
    const read = await options.read()
    const replica = options.replica?.() ?? null
    const { now, readings } = replica === null ? { now: configured, readings: read } : together(configured, read)
    const own = [skewGauge(now, readings), waiverGauge(now), buildInfo(options.version)]
    const gauges = [...(await gatherGauges(now, readings, renderers)), ...own]
    if (!daemon) return byName(gauges)
    const counted = await instruments.collect(shownSeries(now))
    const store = options.storeSize === undefined ? [] : [storeGauge(options.storeSize())]
    const ofReplica = replica === null ? [] : replicaFamilies(replica, new Set(now.tenants.map(({ name }) => name)))
    return byName([...gauges, ...reloadGauges(reload), ...store, ...ofReplica, ...counted])
  }
  /** Renders to bytes, which are outside the JavaScript heap: neither all samples nor the whole text are in memory at once. */
  const render = async (contentType: Exposition['contentType']): Promise<Exposition> => {
    const openMetrics = contentType === openMetricsType
    const turn = yieldAfter(charactersPerTurn)
    const body: Uint8Array[] = []
    for (const family of await gather()) {
      for (const chunk of familyChunks(family, openMetrics)) {
        body.push(Buffer.from(chunk))
        await turn(chunk.length)
      }
    }
    if (openMetrics) body.push(Buffer.from(openMetricsEnd))
    return { contentType, body }
  }
  /** Reads again if tenants changed owner during the read, as when the process was suspended. */
  const renderOwned = async (contentType: Exposition['contentType']): Promise<Exposition> => {
    for (;;) {
      const owned = options.replica?.()?.owned
      const isUnchanged = () => options.replica?.()?.owned === owned
      try {
        const exposition = await render(contentType)
        if (isUnchanged()) return exposition
      } catch (error) {
        if (isUnchanged()) throw error
      }
    }
  }
  for (const tenant of config.tenants) preinitializeSeries(instruments, tenant)
  return {
    ...createEvents(instruments),
    async configure(next) {
      config = next
      const turn = yieldAfter(tenantsPerTurn)
      for (const tenant of next.tenants) {
        await turn()
        preinitializeSeries(instruments, tenant)
      }
    },
    configReloaded(successful, at) {
      reload = { successful, lastSuccessAt: successful ? at : reload.lastSuccessAt }
    },
    render(accept) {
      const contentType = wantsOpenMetrics(accept) ? openMetricsType : prometheusType
      const pending = inFlight.get(contentType)
      if (pending !== undefined) return pending
      const rendering = renderOwned(contentType).finally(() => inFlight.delete(contentType))
      inFlight.set(contentType, rendering)
      return rendering
    },
  }
}

/** Tenants that are both configured and read, so that a tenant that changes replicas has all of its series or none. */
function together(config: MetricsConfig, read: readonly TenantReading[]) {
  const known = new Set(read.map(({ posture }) => posture.tenant))
  const tenants = config.tenants.filter(({ name }) => known.has(name))
  const shown = new Set(tenants.map(({ name }) => name))
  return { now: { ...config, tenants }, readings: read.filter(({ posture }) => shown.has(posture.tenant)) }
}

/** Without samples for tenants whose skew is unknown. */
function skewGauge(config: MetricsConfig, readings: readonly TenantReading[]): Family {
  const known = new Map(readings.map(({ posture }) => [posture.tenant, posture.clockSkewMs]))
  const samples = config.tenants.flatMap(({ name }) => {
    const skewMs = known.get(name) ?? null
    return skewMs === null ? [] : [{ labels: { tenant: name }, value: skewMs / 1000 }]
  })
  return skewFamily(samples)
}

/** Hides series of removed tenants and disabled resources, even if their last runs still count. */
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

/** True when the Accept header gives OpenMetrics at least the quality of the Prometheus text format. */
export function wantsOpenMetrics(accept: string | undefined): boolean {
  if (accept === undefined) return false
  let openMetrics = 0
  let text = 0
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const quality = readQuality(parameters)
    if (type === 'application/openmetrics-text' && takesVersion1(parameters))
      openMetrics = Math.max(openMetrics, quality)
    if (type === 'text/plain') text = Math.max(text, quality)
  }
  return openMetrics > 0 && openMetrics >= text
}

function readQuality(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const quality = text === undefined ? 1 : Number(text)
  return quality >= 0 && quality <= 1 ? quality : 0
}

function takesVersion1(parameters: readonly string[]): boolean {
  const version = parameters.find((parameter) => parameter.startsWith('version='))?.slice('version='.length)
  return version === undefined || version === '1.0.0'
}
