import { toIso } from '../model/dates.ts'
import type { ResourceView, TenantPosture } from '../model/posture.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { plural } from '../model/text/numbers.ts'
import { printable } from '../model/text/printable.ts'

/** Data quality warnings of resources, each cause once; empty when their data is fresh and complete. */
export function dataWarnings(
  posture: TenantPosture | undefined,
  ...resources: readonly ResourceName[]
): readonly string[] {
  if (posture === undefined) return []
  const views = resources.flatMap((name) => posture.resources.find(({ resource }) => resource === name) ?? [])
  const warnings = views.flatMap((view) => warningsOf(view, posture).map((text) => ({ text, resource: view.resource })))
  return [...Map.groupBy(warnings, ({ text }) => text)].map(([text, same]) =>
    printable(`${posture.tenant} ${same.map(({ resource }) => resource).join(', ')}: ${text}`),
  )
}

function warningsOf(view: ResourceView, { holds, at, sharedWith }: TenantPosture): readonly string[] {
  const last = view.dataAsOf === null ? 'never completely read' : `last completely read ${toIso(view.dataAsOf)}`
  if (!view.enabled) return [`switched off and no longer read; ${last}`]
  const why = staleness(view, at, sharedWith)
  const { quarantined, missing } = view
  return [
    ...(why === null ? [] : [why]),
    ...(quarantined > 0 ? [`${plural(quarantined, 'record')} in quarantine, so absent or outdated here`] : []),
    ...(missing > 0 ? [`${plural(missing, 'record')} absent from the last full sync, the removal not confirmed`] : []),
    ...holds
      .filter(({ resource }) => resource === view.resource || resource === 'all')
      .map(({ id, message }) => `on hold ${id}: ${message}`),
  ]
}

/** Why data may differ from the tenant's; null if it is fresh or its hold states the reason. */
function staleness(
  { dataAsOf, freshnessLimitMs, refused, formerTenant, fresh }: ResourceView,
  now: number,
  sharedWith: string | undefined,
): string | null {
  if (dataAsOf === null) return 'never completely read; records may be missing'
  const since = `as of ${toIso(dataAsOf)}`
  if (refused) return `${since}; the token may not read newer data`
  if (now - dataAsOf > freshnessLimitMs) return `${since}, older than its freshness limit`
  if (sharedWith !== undefined) return `${since}; ${sharedWith} has the same API clients or documents`
  if (formerTenant || fresh) return null
  return `${since}; the local clock was set back, so its age is not known`
}
