import type { PastReader, TenantRow } from '../mirror/port.ts'
import type { FindingView } from '../model/finding.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import { batches } from './formats.ts'

/** Personal details, for outputs with `--details` only. */
export interface EntityNames {
  readonly name?: string
  readonly email?: string
  readonly filename?: string
}

export type Named<Finding extends Pick<FindingView, 'entity'> = FindingView> = Finding & {
  readonly entity: Finding['entity'] & EntityNames
}

export interface NameSource {
  readonly past: Pick<PastReader, 'personal'>
  readonly tenants: readonly Pick<TenantRow, 'id' | 'name'>[]
}

/** Adds the names that the mirror has of users and documents. */
export async function* withEntityNames(
  found: AsyncIterable<FindingView> | Iterable<FindingView>,
  { past, tenants }: NameSource,
): AsyncIterable<Named> {
  for await (const batch of batches(found)) {
    const groups = Map.groupBy(batch, ({ tenant, entity }) => JSON.stringify([tenant, entity.type]))
    const names = new Map<FindingView, EntityNames>()
    for (const of of groups.values()) {
      const [first] = of
      const row = tenants.find(({ name }) => name === first?.tenant)
      const resource = resourceOf(first?.entity.type ?? '')
      if (row === undefined || resource === undefined) continue
      const known = await past.personal(row.id, resource, [...new Set(of.map(({ entity }) => entity.id))])
      for (const finding of of) names.set(finding, namesOf(known.get(finding.entity.id) ?? {}))
    }
    for (const finding of batch) yield { ...finding, entity: { ...finding.entity, ...names.get(finding) } }
  }
}

/** `user` are records of `users`, also where an own check calls its entities so. */
function resourceOf(type: string): ResourceName | undefined {
  return resourceNames.find((name) => name === `${type}s`)
}

export function namesOf(fields: Readonly<Record<string, unknown>>): EntityNames {
  const text = (field: string) => (typeof fields[field] === 'string' ? fields[field].trim() : '')
  const stated = {
    name: `${text('firstName')} ${text('lastName')}`.trim(),
    email: text('email'),
    filename: text('filename'),
  }
  return Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== ''))
}

/** Name, e-mail and file name where they are known. */
export function namesIn({ name, email, filename }: EntityNames): readonly string[] {
  return [name, email, filename].filter((text) => text !== undefined)
}
