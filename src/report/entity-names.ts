import { type EntityNames, namesOf, recordsOfEntity } from '../model/entity-names.ts'
import type { FindingView } from '../model/finding.ts'
import type { PastReader, TenantRow } from '../store/port.ts'
import { batches } from './formats.ts'

export interface NameSource {
  /** The present store or the past. */
  readonly source: Pick<PastReader, 'personal'>
  readonly tenants: readonly Pick<TenantRow, 'id' | 'name'>[]
}

/** Adds the names that the mirror has of users and documents. */
export async function* withEntityNames(
  found: AsyncIterable<FindingView> | Iterable<FindingView>,
  { source, tenants }: NameSource,
): AsyncIterable<FindingView> {
  for await (const batch of batches(found)) {
    const groups = Map.groupBy(batch, ({ tenant, entity }) => JSON.stringify([tenant, entity.type]))
    const names = new Map<FindingView, EntityNames>()
    for (const of of groups.values()) {
      const [first] = of
      const row = tenants.find(({ name }) => name === first?.tenant)
      const resource = recordsOfEntity(first?.entity.type ?? '')
      if (row === undefined || resource === undefined) continue
      const known = await source.personal(row.id, resource, [...new Set(of.map(({ entity }) => entity.id))])
      for (const finding of of) names.set(finding, namesOf(known.get(finding.entity.id) ?? {}))
    }
    for (const finding of batch) yield { ...finding, entity: { ...finding.entity, ...names.get(finding) } }
  }
}
