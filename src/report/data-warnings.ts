import { toIso } from '../model/dates.ts'
import type { ResourceView, TenantPosture } from '../model/posture.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { plural } from '../model/text/numbers.ts'
import { printable } from '../model/text/printable.ts'

/** Data quality warnings of a resource; empty when its data is fresh and complete. */
export function dataWarnings(posture: TenantPosture | undefined, resource: ResourceName): readonly string[] {
  const view = posture?.resources.find((one) => one.resource === resource)
  if (posture === undefined || view === undefined) return []
  const name = `${posture.tenant} ${resource}`
  const holds = posture.holds.filter((hold) => hold.resource === resource || hold.resource === 'all')
  const last = view.dataAsOf === null ? 'never completely read' : `last completely read ${toIso(view.dataAsOf)}`
  if (!view.enabled) return [printable(`${name}: switched off and no longer read; ${last}`)]
  const why = staleness(view, posture.at)
  return [
    ...(why === null ? [] : [`${name}: ${why}`]),
    ...(view.quarantined > 0
      ? [
          `${name}: ${plural(view.quarantined, 'record')} could not be read and ${view.quarantined === 1 ? 'is' : 'are'} absent or outdated`,
        ]
      : []),
    ...holds.map((hold) => `${name}: on hold ${hold.id}: ${hold.message}`),
  ].map((line) => printable(line))
}

/** Why data may not be what the tenant has now; null when it is fresh or its hold says it. */
function staleness(
  { dataAsOf, freshnessLimitMs, refused, formerTenant, fresh }: ResourceView,
  now: number,
): string | null {
  if (dataAsOf === null) return 'never completely read; records may be missing'
  const since = `as of ${toIso(dataAsOf)}`
  if (refused) return `${since}; the token may not read newer data`
  if (now - dataAsOf > freshnessLimitMs) return `${since}, older than its freshness limit`
  if (formerTenant || fresh) return null
  return `${since}; the local clock was set back, so its age is not known`
}
