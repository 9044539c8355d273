import { toIso } from '../model/dates.ts'
import type { TenantPosture } from '../model/posture.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { printable } from '../model/text/printable.ts'

/** What a reader of the records must know about them; nothing when they are complete and fresh. */
export function dataWarnings(posture: TenantPosture | undefined, resource: ResourceName): readonly string[] {
  const view = posture?.resources.find((one) => one.resource === resource)
  if (posture === undefined || view === undefined) return []
  const name = `${posture.tenant} ${resource}`
  const holds = posture.holds.filter((hold) => hold.resource === resource || hold.resource === 'all')
  const last = view.dataAsOf === null ? 'never read to the end' : `last read whole ${toIso(view.dataAsOf)}`
  if (!view.enabled) return [printable(`${name}: switched off and no longer read; ${last}`)]
  return [
    ...(view.dataAsOf === null ? [`${name}: never read to the end; these records are not all`] : []),
    ...(view.dataAsOf !== null && !view.fresh ? [`${name}: as of ${toIso(view.dataAsOf)}, older than its limit`] : []),
    ...(view.quarantined > 0 ? [`${name}: ${view.quarantined} records could not be read and are left out or old`] : []),
    ...holds.map((hold) => `${name}: on hold ${hold.id}: ${hold.message}`),
  ].map((line) => printable(line))
}
