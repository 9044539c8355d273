import type { Mirror } from '../mirror/port.ts'
import type { RecordReader } from '../mirror/records/query.ts'
import type { NamedFinding } from '../model/finding.ts'
import { mapTenants } from '../model/map-tenants.ts'
import type { TenantPosture } from '../model/posture.ts'
import { checkGauges } from './check-gauges.ts'
import { renderTail, renderTenant } from './exposition.ts'
import type { Family, FamilyDefinition, Sample } from './family.ts'
import { findingGauge, type findingSamples } from './finding-gauge.ts'
import type { TailOf } from './label-tails.ts'
import type { PostureGauge } from './posture-gauge.ts'
import type {
  InventoryContext,
  InventoryGauge,
  MetricsConfig,
  ResourceSeriesConfig,
  TenantSeriesConfig,
} from './series-config.ts'
import { syncGauges } from './sync-gauges.ts'
import { waiverGauges } from './waiver-gauges.ts'

export interface TenantReading {
  readonly posture: TenantPosture
  readonly findings: readonly NamedFinding[]
  readonly records: RecordReader
  readonly readTogether: Mirror['readTogether']
  readonly settings: InventoryContext['settings']
  readonly waived: InventoryContext['waived']
}

/** What earlier scrapes rendered. */
export interface Rendered {
  readonly findingSample: ReturnType<typeof findingSamples>
  readonly tailOf: TailOf
}

interface ReadTenant {
  readonly config: TenantSeriesConfig
  readonly reading: TenantReading
}

/**
 * Builds all gauges from present data, so that no series of an earlier scrape remains. Throws when the reading of a
 * configured tenant is missing, because a scrape without it would look healthy.
 */
export async function gatherGauges(
  config: MetricsConfig,
  readings: readonly TenantReading[],
  { findingSample, tailOf }: Rendered,
): Promise<readonly Family[]> {
  const byTenant = new Map(readings.map((reading) => [reading.posture.tenant, reading]))
  const tenants = config.tenants.map((config): ReadTenant => {
    const reading = byTenant.get(config.name)
    if (reading === undefined) throw new Error(`Cannot gather metrics: tenant ${config.name} was not read`)
    return { config, reading }
  })
  // Distinct: a posture has each check, resource, mode, state and waiver once, and the mirror each fingerprint.
  const families: Family[] = [...checkGauges, ...syncGauges, ...waiverGauges].map((gauge) => ({
    ...toFamily(gauge, { [Symbol.iterator]: () => postureSamples(gauge, tenants, tailOf) }),
    distinct: true,
  }))
  const found = { [Symbol.iterator]: () => foundSamples(tenants, findingSample) }
  families.push({ ...toFamily(findingGauge, found), distinct: true })
  const inventory = new Map<string, { gauge: InventoryGauge; samples: Sample[] }>()
  for (const reads of await mapTenants(tenants, readInventory)) {
    for (const { gauge, samples } of reads) {
      const entry = inventory.get(gauge.name)
      if (entry === undefined) inventory.set(gauge.name, { gauge, samples: [...samples] })
      else entry.samples.push(...samples)
    }
  }
  for (const { gauge, samples } of inventory.values()) families.push(toFamily(gauge, samples))
  return families
}

function* postureSamples(gauge: PostureGauge, tenants: readonly ReadTenant[], tailOf: TailOf): Generator<Sample> {
  for (const { config, reading } of tenants) {
    const head = renderTenant(config.name)
    for (const { labels, value } of gauge.samples(reading.posture, config))
      yield { labels, value, text: head + tailOf(gauge, labels) }
  }
}

function* foundSamples(tenants: readonly ReadTenant[], sampleOf: Rendered['findingSample']): Generator<Sample> {
  for (const { config, reading } of tenants) {
    for (const finding of reading.findings) yield sampleOf(config.name, finding)
  }
}

interface Read {
  readonly gauge: InventoryGauge
  readonly samples: readonly Sample[]
}

function readInventory({ config, reading }: ReadTenant): Promise<readonly Read[]> {
  return reading.readTogether(() => readGauges(config, reading))
}

async function readGauges(config: TenantSeriesConfig, reading: TenantReading): Promise<readonly Read[]> {
  const reads: Read[] = []
  const head = renderTenant(config.name)
  for (const resource of config.resources) {
    const { settings, waived } = reading
    const { at: now } = reading.posture
    const context = { settings, waived, now, complete: isComplete(resource, reading.posture) }
    for (const gauge of resource.gauges) {
      const samples = await gauge.read(reading.records, context)
      const text = (labels: Sample['labels']) => head + renderTail(labels, gauge.labelNames)
      reads.push({ gauge, samples: samples.map(({ labels, value }) => ({ labels, value, text: text(labels) })) })
    }
  }
  return reads
}

function isComplete(config: ResourceSeriesConfig, posture: TenantPosture): boolean {
  return posture.resources.some((view) => view.resource === config.resource && view.dataAsOf !== null)
}

function toFamily({ name, help }: FamilyDefinition, samples: Family['samples']): Family {
  return { name, type: 'gauge', help, samples }
}
