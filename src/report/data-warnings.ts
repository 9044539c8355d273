import { toIso } from '../model/dates.ts'
import type { TenantPosture } from '../model/posture.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { printable } from '../model/text/printable.ts'

/** Data quality warnings of a resource; empty when its data is fresh and complete. */
export function dataWarnings(posture: TenantPosture | undefined, resource: ResourceName): readonly string[] {
  const view = posture?.resources.find((one) => one.resource === resource)
  if (posture === undefined || view === undefined) return []
  const name = `${posture.tenant} ${resource}`
  const holds = posture.holds.filter((hold) => hold.resource === resource || hold.resource === 'all')
  const last = view.dataAsOf === null ? 'never completely read' : `last completely read ${toIso(view.dataAsOf)}`
  if (!view.enabled) return [printable(`${name}: switched off and no longer read; ${last}`)]
  return [
    ...(view.dataAsOf === null ? [`${name}: never completely read; records may be missing`] : []),
    ...(view.dataAsOf !== null && !view.fresh
      ? [`${name}: as of ${toIso(view.dataAsOf)}, older than its freshness limit`]
      : []),
    ...(view.quarantined > 0
      ? [`${name}: ${view.quarantined} records could not be read and are absent or outdated`]
      : []),
    ...holds.map((hold) => `${name}: on hold ${hold.id}: ${hold.message}`),
  ].map((line) => printable(line))
}
