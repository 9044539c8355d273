import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inParts } from '../model/in-turns.ts'
import type { StoreSize } from '../store/db/sqlite/database-file.ts'
import type { ReplicaFacts } from '../store/tenant-stores.ts'
import { checkGauges } from './check-gauges.ts'
import { Counters } from './counters.ts'
import { createEvents, initializeSeries, type MetricsEvents } from './events.ts'
import { renderHead, renderSeries } from './family.ts'
import { inventories } from './inventory.ts'
import { type ProcessFacts, processFamilies, renderBuildInfo } from './process-gauges.ts'
import { syncGauges } from './sync-gauges.ts'
import type { TenantFacts, TenantGauge, TenantSeriesConfig } from './tenant-facts.ts'

export interface MetricsOptions {
  readonly version: string
  /** First load of the configuration, milliseconds since the epoch. */
  readonly startedAt: number
  /** Reads every configured tenant, with replicas those of this one; called once for concurrent scrapes. */
  readonly read: () => Promise<readonly TenantFacts[]>
  readonly storeSize?: () => StoreSize
  /** Absent or null if no replicas share the tenants. */
  readonly replica?: () => ReplicaFacts | null
}

export interface Metrics extends MetricsEvents {
  /** Initializes the counters of the tenants, in parts. */
  configure(config: readonly TenantSeriesConfig[]): Promise<void>
  configReloaded(successful: boolean, at: number): void
  /**
   * The exposition in the Prometheus text format, in pieces that are rendered as they are taken.
   *
   * @throws the error of a failed read: a scrape is complete or fails.
   */
  render(): Promise<AsyncGenerator<string>>
}

export function createMetrics(options: MetricsOptions): Metrics {
  const counters = new Counters()
  let reload: ProcessFacts['reload'] = { successful: true, lastSuccessAt: options.startedAt }
  let inFlight: Promise<readonly TenantFacts[]> | undefined

  async function* renderAll(tenants: readonly TenantFacts[], own: ProcessFacts): AsyncGenerator<string> {
    yield* renderMirror(options.version, tenants)
    for (const family of processFamilies) {
      const series = renderSeries(family, (add) => family.each(own, add))
      if (series !== '') yield renderHead(family, family.type ?? 'gauge') + series
    }
    yield* await counters.render(isEnabledIn(tenants))
  }

  return {
    ...createEvents(counters),
    async configure(next) {
      // About 10 ms of work each.
      for (const part of inParts(next, 20)) {
        for (const tenant of part) initializeSeries(counters, tenant)
        await yieldToEventLoop()
      }
    },
    configReloaded(successful, at) {
      reload = { successful, lastSuccessAt: successful ? at : reload.lastSuccessAt }
    },
    async render() {
      inFlight ??= options.read().finally(() => {
        inFlight = undefined
      })
      const tenants = await inFlight
      const shown = new Set(tenants.map(({ config }) => config.name))
      const store = options.storeSize?.() ?? null
      return renderAll(tenants, { reload, store, replica: options.replica?.() ?? null, shown })
    },
  }
}

/**
 * Without metrics of a running daemon: counters, histograms, process and reload metrics. Rendered while the text is sent: it
 * is many times as large as what it shows.
 */
export async function* renderMirror(version: string, tenants: readonly TenantFacts[]): AsyncGenerator<string> {
  for (const gauge of [...checkGauges, ...syncGauges]) yield* renderGauge(gauge, tenants)
  for (const { resource, gauges } of inventories) {
    const shown = tenants.filter(({ config }) => config.resources.some((one) => one.resource === resource))
    for (const gauge of gauges) yield* renderGauge(gauge, shown)
  }
  yield renderBuildInfo(version)
}

/** Tenants in parts of at most some 10 ms, with a turn of the event loop after each. */
async function* renderGauge(gauge: TenantGauge, tenants: readonly TenantFacts[]): AsyncGenerator<string> {
  yield renderHead(gauge, 'gauge')
  const render = (facts: TenantFacts) => renderSeries(gauge, (add) => gauge.each(facts, add), facts.config.name)
  for (const part of inParts(tenants, 100)) {
    yield part.map(render).join('')
    await yieldToEventLoop()
  }
}

/** Hides counters of removed tenants and of resources that are switched off, whose last runs may still count. */
function isEnabledIn(tenants: readonly TenantFacts[]): (tenant: string, resource: string | undefined) => boolean {
  const enabled = new Map(
    tenants.map(({ config: { name, resources } }) => [name, new Set<string>(resources.map((one) => one.resource))]),
  )
  return (tenant, resource) => {
    const resources = enabled.get(tenant)
    return resources !== undefined && (resource === undefined || resources.has(resource))
  }
}
