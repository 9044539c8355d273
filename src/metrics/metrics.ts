import { yieldAfter } from '../model/in-turns.ts'
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

/** Tenants whose series are initialized in one turn of the event loop: about 10 ms of work. */
const tenantsPerTurn = 20

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
   * The exposition in the Prometheus text format, in pieces: as one text it would be in memory twice.
   *
   * @throws the error of a failed read: a scrape is complete or fails.
   */
  render(): Promise<readonly string[]>
}

export function createMetrics(options: MetricsOptions): Metrics {
  const isDaemon = options.scope !== 'mirror'
  const counters = new Counters({ processMetrics: isDaemon })
  let config = options.config
  let reload: ProcessFacts['reload'] = { successful: true, lastSuccessAt: options.startedAt }
  let inFlight: Promise<readonly string[]> | undefined

  async function render(): Promise<readonly string[]> {
    const configs = new Map(config.map((tenant) => [tenant.name, tenant]))
    const tenants = await options.read((reading) => renderTenant(configs.get(reading.posture.tenant), reading))
    const replica = options.replica?.() ?? null
    const shown = new Map(tenants.flatMap((one) => (one === null ? [] : [[one.config.name, one.config] as const])))
    const missing = replica === null ? [...configs.keys()].find((name) => !shown.has(name)) : undefined
    // A scrape without the tenant would look healthy. A replica shows those that it could read.
    if (missing !== undefined) throw new Error(`Cannot gather metrics: tenant ${missing} was not read`)
    const families = gauges.flatMap((gauge) => [
      renderHead(gauge, 'gauge'),
      ...tenants.map((one) => one?.series.get(gauge) ?? ''),
    ])
    const own = { version: options.version, reload, store: options.storeSize?.() ?? null, replica, shown }
    for (const family of isDaemon ? [buildInfo, ...processFamilies] : [buildInfo]) {
      const series = renderSeries(family, (add) => family.each(own, add))
      if (series !== '') families.push(renderHead(family, family.type ?? 'gauge') + series)
    }
    if (isDaemon) families.push(...(await counters.render(isEnabledIn([...shown.values()]))))
    return families
  }

  /** Reads again if tenants changed owner or a reload changed them during the read. */
  async function renderOwned(): Promise<readonly string[]> {
    for (;;) {
      const before = tenantsOf(options.replica?.())
      const isUnchanged = () => tenantsOf(options.replica?.()) === before
      try {
        const exposition = await render()
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
      const turn = yieldAfter(tenantsPerTurn)
      for (const tenant of next) {
        await turn()
        initializeSeries(counters, tenant)
      }
    },
    configReloaded(successful, at) {
      reload = { successful, lastSuccessAt: successful ? at : reload.lastSuccessAt }
    },
    render() {
      inFlight ??= renderOwned().finally(() => {
        inFlight = undefined
      })
      return inFlight
    },
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

interface RenderedTenant {
  readonly config: TenantSeriesConfig
  readonly series: ReadonlyMap<TenantGauge, string>
}

/** Null for a tenant that is not configured any more. Gauges of a resource are left out where it is switched off. */
async function renderTenant(
  config: TenantSeriesConfig | undefined,
  reading: TenantReading,
): Promise<RenderedTenant | null> {
  if (config === undefined) return null
  const facts = await readFacts(config, reading)
  const shown = [...checkGauges, ...syncGauges, ...config.resources.flatMap((one) => one.gauges)]
  const render = (gauge: TenantGauge) => renderSeries(gauge, (add) => gauge.each(facts, add), config.name)
  return { config, series: new Map(shown.map((gauge) => [gauge, render(gauge)])) }
}

async function readFacts(
  config: TenantSeriesConfig,
  { records, waived, ...known }: TenantReading,
): Promise<TenantFacts> {
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

const gauges: readonly TenantGauge[] = [...checkGauges, ...syncGauges, ...inventories.flatMap((one) => one.gauges)]
