import { type EntityNames, namesIn, namesOf, recordsOfEntity } from '../../model/entity-names.ts'
import type { FindingIdentity } from '../../model/finding.ts'
import { type OwnerRule, ownerOf } from '../../model/owners.ts'
import type { FindingRow, PostureStore, TenantRow } from '../../store/port.ts'

export type NameSource = Pick<PostureStore, 'personal'>

/** The names that the mirror has of users and documents, by finding. */
export async function readEntityNames<T extends Omit<FindingIdentity, 'check'>>(
  found: readonly T[],
  store: NameSource,
  tenants: readonly Pick<TenantRow, 'id' | 'name'>[],
): Promise<ReadonlyMap<T, EntityNames>> {
  const names = new Map<T, EntityNames>()
  const groups = Map.groupBy(found, ({ tenant, entityType }) => JSON.stringify([tenant, entityType]))
  for (const of of groups.values()) {
    const [first] = of
    const row = tenants.find(({ name }) => name === first?.tenant)
    const resource = recordsOfEntity(first?.entityType ?? '')
    if (row === undefined || resource === undefined) continue
    const known = await store.personal(row.id, resource, [...new Set(of.map(({ entityId }) => entityId))])
    for (const one of of) names.set(one, namesOf(known.get(one.entityId) ?? {}))
  }
  return names
}

/** True if a rule goes by the names of users or documents, which the mirror has. */
export function ownByName(owners: readonly OwnerRule[]): boolean {
  return owners.some(({ user, document }) => (user ?? document) !== undefined)
}

/** The owner of a finding; null = none. Names of API clients and roles are those of the evidence. */
export function findingOwner(
  owners: readonly OwnerRule[],
  { evidence: { name }, ...subject }: FindingRow,
  names: EntityNames = {},
): string | null {
  return ownerOf(owners, { ...subject, names: [...namesIn(names), ...(typeof name === 'string' ? [name] : [])] })
}
