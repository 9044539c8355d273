import type { NamedFinding } from '../model/finding.ts'
import { mapTenants } from '../model/map-tenants.ts'
import { memoize } from '../model/memoize.ts'
import type { TenantPosture } from '../model/posture.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { RecordReader } from '../store/records/query.ts'
import { checkGauges } from './check-gauges.ts'
import { renderLine, renderTenant, tailOf } from './exposition.ts'
import type { Family, FamilyDefinition, RenderedFamily } from './family.ts'
import { type FindingLine, findingGauge } from './finding-gauge.ts'
import { readSecrets } from './inventory/api-clients.ts'
import type { PostureGauge } from './posture-gauge.ts'
import type {
  InventoryContext,
  InventoryGauge,
  MetricsConfig,
  ResourceSeriesConfig,
  TenantSeriesConfig,
} from './series-config.ts'
import type { RenderSeries } from './series-renderer.ts'
import { syncGauges } from './sync-gauges.ts'
import { waiverGauges } from './waiver-gauges.ts'

export interface TenantReading {
  readonly posture: TenantPosture
  readonly findings: readonly NamedFinding[]
  readonly records: RecordReader
  readonly counts: InventoryContext['counts']
  readonly settings: InventoryContext['settings']
  readonly waived: InventoryContext['waived']
}

/** Renderers with caches that last over scrapes. */
export interface Renderers {
  readonly lineOf: FindingLine
  readonly renderSeries: RenderSeries
}

interface ReadTenant {
  readonly config: TenantSeriesConfig
  readonly reading: TenantReading
}

/**
 * Builds all gauges from current data, so that no series of an earlier scrape remains. Throws if the reading of a
 * configured tenant is missing, because a scrape without the tenant would look healthy.
 */
export async function gatherGauges(
  config: MetricsConfig,
  readings: readonly TenantReading[],
  { lineOf, renderSeries }: Renderers,
): Promise<readonly Family[]> {
  const byTenant = new Map(readings.map((reading) => [reading.posture.tenant, reading]))
  const tenants = config.tenants.map((config): ReadTenant => {
    const reading = byTenant.get(config.name)
    if (reading === undefined) throw new Error(`Cannot gather metrics: tenant ${config.name} was not read`)
    return { config, reading }
  })
  const postureLines = (gauge: PostureGauge) =>
    lazily(tenants, ({ config, reading: { posture } }) =>
      renderSeries(gauge, config.name, (add) => gauge.each(posture, add, config)),
    )
  const families = [...checkGauges, ...syncGauges, ...waiverGauges].map((gauge) => toFamily(gauge, postureLines(gauge)))
  const found = tenants.flatMap(({ config, reading }) => reading.findings.map((finding) => ({ config, finding })))
  const findingLines = lazily(found, ({ config, finding }) => lineOf(config.name, finding))
  families.push(toFamily(findingGauge, findingLines))
  const inventory = new Map<InventoryGauge, string[]>()
  for (const reads of await mapTenants(tenants, readInventory)) {
    for (const { gauge, text } of reads) {
      const lines = inventory.get(gauge)
      if (lines === undefined) inventory.set(gauge, [text])
      else lines.push(text)
    }
  }
  for (const [gauge, lines] of inventory) families.push(toFamily(gauge, lines))
  return families
}

/** Renders items during iteration, so that neither all samples nor the whole text are in memory at once. */
function lazily<T>(items: readonly T[], render: (item: T) => string): Iterable<string> {
  return {
    *[Symbol.iterator]() {
      for (const item of items) yield render(item)
    },
  }
}

interface Read {
  readonly gauge: InventoryGauge
  readonly text: string
}

async function readInventory({
  config,
  reading: { posture, records, counts, settings, waived },
}: ReadTenant): Promise<readonly Read[]> {
  const reads: Read[] = []
  const secrets = memoize(readSecrets)
  const only = memoize(async (resource: ResourceName) => {
    for await (const [record] of records.select(resource)) return record
    return undefined
  })
  for (const resource of config.resources) {
    const complete = isComplete(resource, posture)
    const context = { settings, waived, counts, now: posture.at, complete, only, secrets: () => secrets(records) }
    for (const gauge of resource.gauges) {
      const seen = new Set<string>()
      let text = ''
      const head = gauge.name + renderTenant(config.name)
      await gauge.read(context, (value, ...labels) => {
        const series = head + tailOf(gauge.labelNames, labels)
        if (seen.has(series)) throw new Error(`Cannot gather metrics: series ${series} occurs twice`)
        seen.add(series)
        text += renderLine(series, value)
      })
      reads.push({ gauge, text })
    }
  }
  return reads
}

function isComplete(config: ResourceSeriesConfig, posture: TenantPosture): boolean {
  return posture.resources.some((view) => view.resource === config.resource && view.dataAsOf !== null)
}

function toFamily({ name, help }: FamilyDefinition, lines: Iterable<string>): RenderedFamily {
  return { name, type: 'gauge', help, lines }
}
