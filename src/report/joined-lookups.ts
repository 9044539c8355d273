import type { ChangeFilter, Mirror, TenantChangeRow } from '../store/port.ts'
import type { ChangeRow } from '../store/records/query.ts'
import { recordTables } from '../store/records/record-tables.ts'

/** Returns a change as it is shown; null = it is part of another one. */
export type Join = <Change extends ChangeRow>(change: Change) => Change | null

type Changes<Change extends ChangeRow> = AsyncIterable<readonly Change[]> | Iterable<readonly Change[]>

/**
 * The list of users has no role ids. When the role name changes, the mirror drops the id and looks it up later: two
 * changes, with null between them. They are shown as one, from the old id to the new one, with the time and request of
 * the look-up, but as two if the user had no role in between. Until the look-up only the first is shown.
 *
 * @param changes of one field, oldest first, from the start of the history: the first of two may precede the period.
 */
export async function joinedLookups<Change extends ChangeRow>(
  changes: (resource: Resource, field: string) => Changes<Change>,
  entityOf: (change: Change) => string,
): Promise<Join> {
  const before = new Map<string, unknown>()
  const leftOut = new Set<string>()
  for (const { resource, detail } of Object.values(recordTables)) {
    if (detail === undefined) continue
    const withoutRole = new Set<string>()
    const moment = (change: Change) => `${change.at} ${entityOf(change)}`
    for await (const batch of changes(resource, detail.dependsOn))
      for (const change of batch) if (change.after === null) withoutRole.add(moment(change))
    const dropped = new Map<string, Change>()
    for await (const batch of changes(resource, detail.states)) {
      for (const change of batch) {
        const entity = entityOf(change)
        const first = dropped.get(entity)
        dropped.delete(entity)
        if (change.after === null && !withoutRole.has(moment(change))) dropped.set(entity, change)
        if (change.before !== null || first === undefined) continue
        leftOut.add(placeOf(first))
        // The role was renamed.
        if (first.before === change.after) leftOut.add(placeOf(change))
        else before.set(placeOf(change), first.before)
      }
    }
  }
  return (change) => {
    const place = placeOf(change)
    if (leftOut.has(place)) return null
    return before.has(place) ? { ...change, before: before.get(place) } : change
  }
}

const placeOf = ({ id, field }: ChangeRow) => `${id} ${field}`

type Resource = (typeof recordTables)[keyof typeof recordTables]['resource']

/** The same for the changes that match a filter. */
export function joinedLookupsOf(
  mirror: Pick<Mirror, 'changes'>,
  { tenantId, resources, key, until }: ChangeFilter,
): Promise<Join> {
  const only = {
    ...(tenantId !== undefined && { tenantId }),
    ...(key !== undefined && { key }),
    ...(until !== undefined && { until }),
  }
  return joinedLookups<TenantChangeRow>(
    (resource, field) =>
      resources?.includes(resource) === false ? [] : mirror.changes({ ...only, resources: [resource], field }),
    ({ tenant, key: id }) => `${tenant} ${id}`,
  )
}
