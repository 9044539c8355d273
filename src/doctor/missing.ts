import { reasonOf, SyncError } from '../model/errors.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import { firstOf } from '../model/text/words.ts'
import { resources } from '../resources/index.ts'
import { type Diagnosis, warning } from './diagnosis.ts'
import type { ExaminedTenant } from './identity.ts'

/** Records that lists no longer return and no answer by id has removed, and how the API answers for the first one. */
export async function diagnoseMissing({ mirror, row, reader, signal }: ExaminedTenant): Promise<readonly Diagnosis[]> {
  const found: Diagnosis[] = []
  for (const definition of resources as readonly ResourceDefinition[]) {
    if (definition.kind !== 'feed' || definition.lookUp === undefined) continue
    const { name, nouns } = definition
    const missing = await mirror.missing({ tenantId: row.id, resource: name, limit: 1000, onlyAccepted: false })
    const [first] = missing
    if (first === undefined) continue
    const answer = await reader.fetchOne(definition, Number(first.key), signal).then(
      ({ item }) => (item === null ? 'is gone (404 or 410)' : 'still exists'),
      (error: unknown) => `is not answered for: ${error instanceof SyncError ? error.message : reasonOf(error)}`,
    )
    const keys = missing.map(({ key }) => key)
    const text = `${firstOf(keys, 5)} absent from the last full sync, the removal not confirmed; asked by id, ${nouns[0]} ${first.key} ${answer}`
    found.push(
      warning(
        name,
        text,
        'Only a 404 or 410 with the envelope of the API confirms a removal; the next full syncs ask again',
      ),
    )
  }
  return found
}
