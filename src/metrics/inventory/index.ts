import type { Reason } from '../../model/reasons.ts'
import type { ResourceDefinition } from '../../model/resource.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import { resources } from '../../resources/index.ts'
import type { InventoryGauge, ResourceSeries } from '../series-config.ts'
import { apiClientsGauges } from './api-clients.ts'
import { describedGauge } from './described-gauge.ts'

/** Gauges that a resource's descriptor cannot express, in addition to its `gauges`. */
const particular: Readonly<Partial<Record<ResourceName, readonly InventoryGauge[]>>> = {
  'api-clients': apiClientsGauges,
}

export const inventories: readonly ResourceSeries[] = resources.map(seriesOf)

function seriesOf(resource: ResourceDefinition): ResourceSeries {
  const { name, path } = resource
  const lookUp = resource.kind === 'feed' ? resource.lookUp : undefined
  return {
    resource: name,
    endpoints: lookUp === undefined ? [path] : [path, lookUp.path],
    holds: holdsOf(resource),
    gauges: [...(resource.gauges ?? []).map((gauge) => describedGauge(resource, gauge)), ...(particular[name] ?? [])],
  }
}

function isPaged({ kind }: ResourceDefinition): boolean {
  return kind !== 'whole'
}

function mayBeSuspectEmpty(resource: ResourceDefinition): boolean {
  return resource.kind === 'pagedList' || (resource.kind === 'whole' && resource.contradictedBy !== undefined)
}

function holdsOf(resource: ResourceDefinition): readonly Reason[] {
  return [
    ...(isPaged(resource) ? (['shrink_held'] as const) : []),
    ...(mayBeSuspectEmpty(resource) ? (['suspect_empty'] as const) : []),
    ...(resource.kind === 'pagedList' && resource.self !== null ? (['tenant_changed'] as const) : []),
  ]
}
