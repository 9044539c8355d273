import { type NameSource, readEntityNames } from '../evaluate/findings/owners.ts'
import type { FindingView } from '../model/finding.ts'
import { batches } from '../model/text/formats.ts'

/** Adds the names that the mirror has of users and documents. */
export async function* withEntityNames(
  found: AsyncIterable<FindingView> | Iterable<FindingView>,
  names: NameSource,
): AsyncIterable<FindingView> {
  for await (const batch of batches(found)) {
    const rows = batch.map((finding) => {
      return { finding, tenant: finding.tenant, entityType: finding.entity.type, entityId: finding.entity.id }
    })
    const known = await readEntityNames(rows, names)
    for (const row of rows) yield { ...row.finding, entity: { ...row.finding.entity, ...known.get(row) } }
  }
}
