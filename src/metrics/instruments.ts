import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { createCounters } from './counters.ts'
import { bucketBound } from './exposition.ts'
import type { Family, Sample } from './family.ts'
import { type CounterName, type HistogramName, histograms } from './instrument-catalogue.ts'

type Labels = Readonly<Record<string, string>>

/** Counters and histograms. No other module imports prom-client. */
export interface Instruments {
  add(name: CounterName, labels: Labels, amount: number): void
  observe(name: HistogramName, labels: Labels, seconds: number): void
  preinitialize(name: HistogramName, labels: Labels): void
  collect(isShown: (labels: Labels) => boolean): Promise<readonly Family[]>
}

/** Gauges that end in `_total`, which promtool's linter refuses. */
const refusedByLinter = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** Minimum of the delay histogram of Node, in seconds, before its first sample. */
const noMinimumYet = 9e9

export function createInstruments(options: { readonly processMetrics: boolean }): Instruments {
  const registry = new Registry()
  const counted = createCounters()
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
  const initialized = new Set<string>()
  return {
    add: (name, labels, amount) => counted.add(name, labels, amount),
    observe: (name, labels, seconds) =>
      byHistogram.get(name)?.observe({ ...labels }, Number.isFinite(seconds) ? Math.max(0, seconds) : 0),
    preinitialize(name, labels) {
      const key = JSON.stringify([name, labels])
      if (initialized.has(key)) return
      initialized.add(key)
      byHistogram.get(name)?.zero({ ...labels })
    },
    async collect(isShown) {
      const others = (await registry.getMetricsAsJSON()).map((metric) => toFamily(metric, isShown))
      return [...counted.families(isShown), ...others]
    },
  }
}

type JsonMetric = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number]

function toFamily(metric: JsonMetric, isShown: (labels: Labels) => boolean): Family {
  const { name, help } = metric
  const kind = String(metric.type)
  const type = kind === 'counter' || kind === 'histogram' ? kind : 'gauge'
  const samples = metric.values
    .filter(({ value }) => Number.isFinite(value) && !(name.startsWith('nodejs_eventloop_lag') && value > noMinimumYet))
    .map((value) => toSample(name, value))
    .filter(({ labels }) => isShown(labels))
  return { name, type, help: help.endsWith('.') ? help : `${help}.`, samples }
}

/** `metricName` of histogram values is missing in the types of prom-client. */
type JsonValue = JsonMetric['values'][number] & { readonly metricName?: string }

function toSample(family: string, value: JsonValue): Sample {
  const { le, ...labels } = Object.fromEntries(Object.entries(value.labels).map(([name, text]) => [name, String(text)]))
  const suffix = value.metricName?.slice(family.length) ?? ''
  return {
    labels: le === undefined ? labels : { ...labels, le: bucketOf(le) },
    value: value.value,
    ...(suffix === '' ? {} : { suffix }),
  }
}

function bucketOf(bound: string): string {
  return bucketBound(bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound))
}
