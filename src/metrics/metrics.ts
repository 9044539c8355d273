import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inParts } from '../model/in-turns.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { StoreSize } from '../store/db/sqlite/database-file.ts'
import type { MirrorRecord } from '../store/records/query.ts'
import { checkGauges } from './check-gauges.ts'
import { readSecrets } from './client-secrets.ts'
import { Counters } from './counters.ts'
import { createEvents, initializeSeries, type MetricsEvents } from './events.ts'
import { renderHead, renderSeries } from './family.ts'
import { expiryChecks, inventories } from './inventory.ts'
import { buildInfo, type ProcessFacts, processFamilies, type ReplicaReading } from './process-gauges.ts'
import { syncGauges } from './sync-gauges.ts'
import type { TenantFacts, TenantGauge, TenantReading, TenantSeriesConfig } from './tenant-facts.ts'

export interface MetricsOptions {
  readonly version: string
  /** First load of the configuration, milliseconds since the epoch. */
  readonly startedAt: number
  /** Its series are initialized in one go; use `configure` for many tenants. */
  readonly config: readonly TenantSeriesConfig[]
  /** Reads every configured tenant, and resolves with what `gather` made of each; called once for concurrent scrapes. */
  readonly read: <T>(gather: (reading: TenantReading) => Promise<T>) => Promise<readonly T[]>
  readonly storeSize?: () => StoreSize
  /** Absent or null if no replicas share the tenants. */
  readonly replica?: () => ReplicaReading | null
  /** `mirror` omits metrics of a running daemon: counters, histograms, process and reload metrics. */
  readonly scope?: 'daemon' | 'mirror'
}

export interface Metrics extends MetricsEvents {
  /** Applies another configuration: initializes new series, in parts, and hides those of removed tenants. */
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
  const isDaemon = options.scope !== 'mirror'
  const counters = new Counters({ processMetrics: isDaemon })
  let config = options.config
  let reload: ProcessFacts['reload'] = { successful: true, lastSuccessAt: options.startedAt }
  let inFlight: Promise<Exposition> | undefined

  async function read(): Promise<Exposition> {
    const configs = new Map(config.map((tenant) => [tenant.name, tenant]))
    const readings = await options.read((reading) => readFacts(configs.get(reading.posture.tenant), reading))
    const tenants = readings.filter((one) => one !== null)
    const replica = options.replica?.() ?? null
    const shown = new Map(tenants.map(({ config }) => [config.name, config]))
    const missing = replica === null ? [...configs.keys()].find((name) => !shown.has(name)) : undefined
    // A scrape without the tenant would look healthy. A replica shows those that it could read.
    if (missing !== undefined) throw new Error(`Cannot gather metrics: tenant ${missing} was not read`)
    const own = { version: options.version, reload, store: options.storeSize?.() ?? null, replica, shown }
    const rest: string[] = []
    for (const family of isDaemon ? [buildInfo, ...processFamilies] : [buildInfo]) {
      const series = renderSeries(family, (add) => family.each(own, add))
      if (series !== '') rest.push(renderHead(family, family.type ?? 'gauge') + series)
    }
    if (isDaemon) rest.push(...(await counters.render(isEnabledIn([...shown.values()]))))
    return { tenants, rest }
  }

  /** Reads again if tenants changed owner or a reload changed them during the read. */
  async function readOwned(): Promise<Exposition> {
    for (;;) {
      const before = tenantsOf(options.replica?.())
      const isUnchanged = () => tenantsOf(options.replica?.()) === before
      try {
        const exposition = await read()
        if (isUnchanged()) return exposition
      } catch (error) {
        if (isUnchanged()) throw error
      }
    }
  }

  for (const tenant of config) initializeSeries(counters, tenant)
  return {
    ...createEvents(counters),
    async configure(next) {
      config = next
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
      inFlight ??= readOwned().finally(() => {
        inFlight = undefined
      })
      return renderExposition(await inFlight)
    },
  }
}

/** What a scrape shows, read before any of it is sent. `rest`: rendered families that are not gauges about tenants. */
interface Exposition {
  readonly tenants: readonly TenantFacts[]
  readonly rest: readonly string[]
}

/** Renders the tenants while the text is sent: it is many times as large as what it shows. */
async function* renderExposition({ tenants, rest }: Exposition): AsyncGenerator<string> {
  for (const gauge of [...checkGauges, ...syncGauges]) yield* renderGauge(gauge, tenants)
  for (const { resource, gauges } of inventories) {
    const shown = tenants.filter(({ config }) => config.resources.some((one) => one.resource === resource))
    for (const gauge of gauges) yield* renderGauge(gauge, shown)
  }
  yield* rest
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
function isEnabledIn(
  tenants: readonly TenantSeriesConfig[],
): (tenant: string, resource: string | undefined) => boolean {
  const enabled = new Map(
    tenants.map(({ name, resources }) => [name, new Set<string>(resources.map((one) => one.resource))]),
  )
  return (tenant, resource) => {
    const resources = enabled.get(tenant)
    return resources !== undefined && (resource === undefined || resources.has(resource))
  }
}

function tenantsOf(replica: ReplicaReading | null | undefined): string | null {
  return replica == null ? null : JSON.stringify([replica.owned, replica.tenants])
}

/** Null for a tenant that is not configured any more. */
async function readFacts(
  config: TenantSeriesConfig | undefined,
  { records, waived, ...known }: TenantReading,
): Promise<TenantFacts | null> {
  if (config === undefined) return null
  const single = new Map<ResourceName, MirrorRecord>()
  for (const { resource, hasFlags } of config.resources) {
    if (!hasFlags) continue
    for await (const [record] of records.select(resource)) if (record !== undefined) single.set(resource, record)
  }
  const hasClients = config.resources.some(({ resource }) => resource === 'api-clients')
  return {
    ...known,
    config,
    single,
    secrets: hasClients ? await readSecrets(records) : [],
    waivedExpired: await waived(expiryChecks.expired),
    waivedExpiring: await waived(expiryChecks.expiring),
  }
}
