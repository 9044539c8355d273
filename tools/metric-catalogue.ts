import { checkGauges } from '../src/metrics/check-gauges.ts'
import { counters, histograms } from '../src/metrics/counter-catalogue.ts'
import type { FamilyDefinition, FamilyType } from '../src/metrics/family.ts'
import { buildInfo, processFamilies } from '../src/metrics/process-gauges.ts'
import { syncGauges } from '../src/metrics/sync-gauges.ts'
import type { ResourceSeries } from '../src/metrics/tenant-facts.ts'

export interface CataloguedFamily extends FamilyDefinition {
  readonly type: FamilyType
}

/** Every family that the daemon exports, by name (docs/metrics.md). */
export function metricCatalogue(inventories: readonly ResourceSeries[]): readonly CataloguedFamily[] {
  const ofTenants = [...checkGauges, ...syncGauges, ...inventories.flatMap(({ gauges }) => gauges)]
  const families = [
    ...ofTenants.map((family) => ({ ...family, labelNames: ['tenant', ...family.labelNames], type: 'gauge' as const })),
    { ...buildInfo, type: 'gauge' as const },
    ...processFamilies.map((family) => ({ ...family, type: family.type ?? ('gauge' as const) })),
    ...counters.map((family) => ({ ...family, type: 'counter' as const })),
    ...histograms.map((family) => ({ ...family, type: 'histogram' as const })),
  ]
  return families.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
