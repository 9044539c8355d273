import { checkGauges } from './check-gauges.ts'
import { ownGauges } from './config-gauges.ts'
import type { FamilyDefinition } from './family.ts'
import { findingGauge } from './finding-gauge.ts'
import { counters, histograms } from './instrument-catalogue.ts'
import { replicaMetrics } from './replica-gauges.ts'
import type { ResourceSeries } from './series-config.ts'
import { syncGauges } from './sync-gauges.ts'
import { waiverGauges } from './waiver-gauges.ts'

export interface CataloguedFamily extends FamilyDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
}

export function metricCatalogue(inventories: readonly ResourceSeries[]): readonly CataloguedFamily[] {
  const ofTenant = ({ name, help, labelNames }: FamilyDefinition) => ({
    name,
    help,
    labelNames: ['tenant', ...labelNames],
  })
  const { takeovers, ...replicaGauges } = replicaMetrics
  const gauges = [
    ...[
      ...checkGauges,
      findingGauge,
      ...syncGauges,
      ...waiverGauges,
      ...inventories.flatMap((series) => series.gauges),
    ].map(ofTenant),
    ...Object.values(ownGauges),
    ...Object.values(replicaGauges),
  ]
  const families = [
    ...gauges.map((family) => ({ ...family, type: 'gauge' as const })),
    ...[...counters, takeovers].map((family) => ({ ...family, type: 'counter' as const })),
    ...histograms.map((family) => ({ ...family, type: 'histogram' as const })),
  ]
  return families.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
