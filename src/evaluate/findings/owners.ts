import { type EntityNames, namesIn, namesOf, recordsOfEntity } from '../../model/entity-names.ts'
import { type OwnerRule, ownerOf } from '../../model/owners.ts'
import type { FindingRow, PastReader, TenantRow } from '../../store/port.ts'

export interface NameSource {
  /** The present store or the past. */
  readonly source: Pick<PastReader, 'personal'>
  readonly tenants: readonly Pick<TenantRow, 'id' | 'name'>[]
}

interface Named {
  readonly tenant: string
  readonly entityType: string
  readonly entityId: string
}

/** The names that the mirror has of users and documents, by finding. */
export async function readEntityNames<T extends Named>(
  found: readonly T[],
  { source, tenants }: NameSource,
): Promise<ReadonlyMap<T, EntityNames>> {
  const names = new Map<T, EntityNames>()
  const groups = Map.groupBy(found, ({ tenant, entityType }) => JSON.stringify([tenant, entityType]))
  for (const of of groups.values()) {
    const [first] = of
    const row = tenants.find(({ name }) => name === first?.tenant)
    const resource = recordsOfEntity(first?.entityType ?? '')
    if (row === undefined || resource === undefined) continue
    const known = await source.personal(row.id, resource, [...new Set(of.map(({ entityId }) => entityId))])
    for (const one of of) names.set(one, namesOf(known.get(one.entityId) ?? {}))
  }
  return names
}

export interface Ownership extends Pick<NameSource, 'source'> {
  readonly owners: readonly OwnerRule[]
}

type OwnedFinding = Pick<FindingRow, 'tenant' | 'check' | 'entityType' | 'entityId' | 'evidence'>

/**
 * The owner of each finding; null = none. Names of users and documents are those of the mirror, those of API clients and
 * roles those of the evidence.
 */
export async function readOwners(
  found: readonly OwnedFinding[],
  { owners, source }: Ownership,
  tenants: NameSource['tenants'],
): Promise<readonly (string | null)[]> {
  const isByName = owners.some(({ user, document }) => (user ?? document) !== undefined)
  const known = isByName ? await readEntityNames(found, { source, tenants }) : new Map<OwnedFinding, EntityNames>()
  return found.map((row) => {
    const { tenant, check, entityType, entityId: id, evidence } = row
    const name = typeof evidence['name'] === 'string' ? [evidence['name']] : []
    return ownerOf(owners, { tenant, check, entityType, id, names: [...namesIn(known.get(row) ?? {}), ...name] })
  })
}
