import type { StoreSize } from '../mirror/sqlite/store-size.ts'
import { buildInfo, type ReloadState, reloadGauges, skewFamily, storeGauge, waiverGauge } from './config-gauges.ts'
import { createEvents, type MetricsEvents } from './events.ts'
import { familyLines, openMetricsEnd, openMetricsType, prometheusType } from './exposition.ts'
import type { Family, Sample } from './family.ts'
import { findingSamples } from './finding-gauge.ts'
import { gatherGauges, type TenantReading } from './gather-gauges.ts'
import { createInstruments } from './instruments.ts'
import { preinitializeSeries } from './preinitialize.ts'
import type { MetricsConfig } from './series-config.ts'
import { mostAtOnce, yieldAfter } from './yield-to-event-loop.ts'

/** Characters of a piece, more or less: large enough to be few, small enough to be sent and dropped one by one. */
const pieceLength = 65_536

/**
 * A family as bytes, in pieces. They lie outside the heap of the JavaScript engine, and what each was made of is garbage
 * at once: neither all samples nor the text as a whole are ever in memory.
 *
 * @param breathe is told after each piece how many lines it has.
 * @throws whatever making or rendering the samples throws.
 */
async function bytePieces(
  family: Family,
  openMetrics: boolean,
  breathe: (lines: number) => Promise<void>,
): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = []
  let text = ''
  let lines = 0
  for (const line of familyLines(family, openMetrics)) {
    text += line
    lines++
    if (text.length < pieceLength) continue
    pieces.push(Buffer.from(text))
    await breathe(lines)
    text = ''
    lines = 0
  }
  await breathe(lines)
  return text === '' ? pieces : [...pieces, Buffer.from(text)]
}

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

/** True when an Accept header asks for OpenMetrics at least as eagerly as for the Prometheus text format. */
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
