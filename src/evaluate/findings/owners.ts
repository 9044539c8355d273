import { namesIn, namesOf, recordsNamedBy } from '../../model/entity-names.ts'
import type { FindingIdentity } from '../../model/finding.ts'
import { isByEntity, type OwnerRule, ownerOf } from '../../model/owners.ts'
import type { FindingRow, PostureStore, TenantRow } from '../../store/port.ts'

export type NameSource = Pick<PostureStore, 'personal'>

/** Fields that may name the entity of a finding. */
export type NamingFields = Readonly<Record<string, unknown>>

/** Those of the records that findings are about, as far as the mirror has them. */
export async function readNamingFields<T extends Omit<FindingIdentity, 'check'>>(
  found: readonly T[],
  store: NameSource,
  tenants: readonly Pick<TenantRow, 'id' | 'name'>[],
): Promise<ReadonlyMap<T, NamingFields>> {
  const fields = new Map<T, NamingFields>()
  const groups = Map.groupBy(found, ({ tenant, entityType }) => JSON.stringify([tenant, entityType]))
  for (const of of groups.values()) {
    const [first] = of
    const row = tenants.find(({ name }) => name === first?.tenant)
    const resource = recordsNamedBy(first?.entityType ?? '')
    if (row === undefined || resource === undefined) continue
    const known = await store.personal(row.id, resource, [...new Set(of.map(({ entityId }) => entityId))])
    for (const one of of) fields.set(one, known.get(one.entityId) ?? {})
  }
  return fields
}

/** True if a rule goes by names, which the mirror has. */
export function ownByName(owners: readonly OwnerRule[]): boolean {
  return owners.some(isByEntity)
}

/** The owner of a finding; null = none. Names of API clients and roles are those of the evidence, else of the record. */
export function findingOwner(
  owners: readonly OwnerRule[],
  { evidence, ...subject }: FindingRow,
  fields: NamingFields = {},
): string | null {
  const names = [...namesIn(namesOf(fields)), evidence['name'] ?? fields['name']]
  return ownerOf(owners, { ...subject, names: names.filter((name) => typeof name === 'string') })
}
