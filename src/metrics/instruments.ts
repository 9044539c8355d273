import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { breather, mostAtOnce } from './breather.ts'
import { bucketBound, renderLabels } from './exposition.ts'
import type { Family, Sample } from './family.ts'
import { type CounterName, counters, type HistogramName, histograms } from './instrument-catalogue.ts'

type Labels = Readonly<Record<string, string>>

/** The counting half of the metrics; the only place that knows prom-client. */
export interface Instruments {
  /** Adds to a counter; 0 bears the series. */
  add(name: CounterName, labels: Labels, amount: number): void
  observe(name: HistogramName, labels: Labels, seconds: number): void
  /** Bears a histogram's series, once. */
  bear(name: HistogramName, labels: Labels): void
  collect(): Promise<readonly Family[]>
}

/** Gauges that end in `_total`, which promtool's linter refuses. */
const refusedByLinter = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** The delay histogram of Node gives this, in seconds, as its minimum before its first sample. */
const noMinimumYet = 9e9

export function createInstruments(options: { readonly processMetrics: boolean }): Instruments {
  const registry = new Registry()
  const byCounter = new Map(
    counters.map((definition) => [
      definition.name,
      new Counter({ ...definition, labelNames: [...definition.labelNames], registers: [registry] }),
    ]),
  )
  const byHistogram = new Map(
    histograms.map((definition) => [
      definition.name,
      new Histogram({
        ...definition,
        labelNames: [...definition.labelNames],
        buckets: [...definition.buckets],
        registers: [registry],
      }),
    ]),
  )
  if (options.processMetrics) {
    collectDefaultMetrics({ register: registry })
    for (const name of refusedByLinter) registry.removeSingleMetric(name)
  }
  const born = new Set<string>()
  const seriesOf = rememberedSeries()
  return {
    add: (name, labels, amount) => byCounter.get(name)?.inc({ ...labels }, amount),
    observe: (name, labels, seconds) =>
      byHistogram.get(name)?.observe({ ...labels }, Number.isFinite(seconds) ? Math.max(0, seconds) : 0),
    bear(name, labels) {
      const key = JSON.stringify([name, labels])
      if (born.has(key)) return
      born.add(key)
      byHistogram.get(name)?.zero({ ...labels })
    },
    async collect() {
      const breathe = breather(mostAtOnce)
      const families: Family[] = []
      for (const metric of await registry.getMetricsAsJSON()) {
        families.push(toFamily(metric, seriesOf))
        await breathe(metric.values.length)
      }
      return families
    },
  }
}

type JsonMetric = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number]

function toFamily(metric: JsonMetric, seriesOf: SeriesOf): Family {
  const { name, help } = metric
  const kind = String(metric.type)
  const type = kind === 'counter' || kind === 'histogram' ? kind : 'gauge'
  const samples = metric.values
    .filter(({ value }) => Number.isFinite(value) && !(name.startsWith('nodejs_eventloop_lag') && value > noMinimumYet))
    .map((value) => toSample(name, value, seriesOf))
  return { name, type, help: help.endsWith('.') ? help : `${help}.`, samples }
}

/** A histogram's values carry their own name, which prom-client's types leave out. */
type JsonValue = JsonMetric['values'][number] & { readonly metricName?: string }

function toSample(family: string, { labels, metricName, value }: JsonValue, seriesOf: SeriesOf): Sample {
  const suffix = metricName?.slice(family.length) ?? ''
  return { ...seriesOf(labels), value, ...(suffix === '' ? {} : { suffix }) }
}

type SeriesOf = (labels: JsonValue['labels']) => Pick<Sample, 'labels' | 'text'>

/** A counter has the same object of labels all its life: what it is written as is made once. */
function rememberedSeries(): SeriesOf {
  const known = new WeakMap<object, Pick<Sample, 'labels' | 'text'>>()
  return (raw) => {
    const before = known.get(raw)
    if (before !== undefined) return before
    const labels: Record<string, string> = {}
    for (const [name, text] of Object.entries(raw)) if (name !== 'le') labels[name] = String(text)
    if (raw['le'] !== undefined) labels['le'] = bucketOf(raw['le'])
    const series = { labels, text: renderLabels(labels) }
    known.set(raw, series)
    return series
  }
}

function bucketOf(bound: unknown): string {
  return bucketBound(bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound))
}
