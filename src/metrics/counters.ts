import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { type CounterName, counters, type HistogramName, histograms } from './counter-catalogue.ts'
import { renderHead, renderLabels } from './family.ts'

type Labels = Readonly<Record<string, string>>

/** Gauges that end in `_total`, which promtool's linter refuses. */
const refusedByLinter = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

interface Series {
  readonly resource: string | undefined
  value: number
}

/** Counters, histograms and the metrics of the process. No other module imports prom-client. */
export class Counters {
  readonly #registry = new Registry()
  readonly #histograms = new Map<HistogramName, Histogram>()
  /** Series by rendered labels, of each counter and tenant ('' = of none): prom-client's objects take too much memory for fleets. */
  readonly #counters = new Map(counters.map(({ name }) => [name, new Map<string, Map<string, Series>>()]))
  readonly #initialized = new Set<string>()

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
    for (const name of refusedByLinter) this.#registry.removeSingleMetric(name)
    for (const { name, help, labelNames, buckets } of histograms) {
      const options = { name, help, labelNames: [...labelNames], buckets: [...buckets], registers: [this.#registry] }
      this.#histograms.set(name, new Histogram(options))
    }
  }

  /** Adds to a series; 0 initializes it. */
  add(name: CounterName, labels: Labels, amount: number): void {
    const { tenant = '', resource } = labels
    const byTenant = this.#counters.get(name)
    const all = byTenant?.get(tenant) ?? new Map<string, Series>()
    const key = renderLabels(Object.keys(labels), Object.values(labels))
    const series = all.get(key) ?? { resource, value: 0 }
    series.value += Math.max(0, amount)
    all.set(key, series)
    byTenant?.set(tenant, all)
  }

  observe(name: HistogramName, labels: Labels, seconds: number): void {
    this.#histograms.get(name)?.observe({ ...labels }, Number.isFinite(seconds) ? Math.max(0, seconds) : 0)
  }

  /** Begins a histogram at 0. */
  initialize(name: HistogramName, labels: Labels): void {
    const key = JSON.stringify([name, labels])
    if (this.#initialized.has(key)) return
    this.#initialized.add(key)
    this.#histograms.get(name)?.zero({ ...labels })
  }

  /** The families in the Prometheus text format, without series of tenants and resources that are not shown. */
  async render(isShown: (tenant: string, resource: string | undefined) => boolean): Promise<readonly string[]> {
    const counted = counters.map((definition) => {
      let text = renderHead(definition, 'counter')
      for (const [tenant, all] of this.#counters.get(definition.name) ?? []) {
        for (const [labels, { resource, value }] of all)
          if (tenant === '' || isShown(tenant, resource)) text += `${definition.name}${labels} ${value}\n`
      }
      return text
    })
    // Process metrics without a sample yet have no value, and families are separated by an empty line.
    const observed = (await this.#registry.metrics()).replace(/^.* Nan\n|^\n/gm, '')
    return [...counted, observed]
  }
}
