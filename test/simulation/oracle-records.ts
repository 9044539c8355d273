import type { ResourceName } from '../../src/model/resource-names.ts'
import { allForms, comparable } from './forms.ts'
import type { Oracle, OracleParts } from './oracle.ts'
import { isForeign } from './oracle-mirror.ts'
import { worldResources } from './world.ts'

/** Mirrored forms that were found true, so that each is looked up once. */
export type TrueForms = Set<string>

/**
 * Every record of the mirror is one that the tenant had at some instant, whole: nothing is made up of two readings.
 * Only a user's `roleId` is of another reading than the rest, and belongs to the role name beside it
 * (docs/internals/sync.md#16-details).
 */
export async function checkRecords(oracle: Oracle, parts: OracleParts, known: TrueForms): Promise<void> {
  const { machine, ledger } = parts
  for (const resource of worldResources) {
    for await (const batch of machine.mirror.records(machine.tenantId).select(resource)) {
      for (const { key, fields, times } of batch) {
        const form = comparable(fields, times)
        const id = `${resource} ${key} ${form}`
        if (known.has(id) || ledger.malformed.has(`${resource} ${key}`) || isForeign(key)) continue
        known.add(id)
        if (!wasSo(parts, resource, key, fields, times)) {
          oracle.report('torn_record', `${resource} ${key} was never ${form}`)
        }
      }
    }
  }
}

type Fields = Readonly<Record<string, unknown>>

function wasSo(
  { world }: OracleParts,
  resource: ResourceName,
  key: string,
  { roleId, ...listed }: Fields,
  times: Readonly<Record<string, number | null>>,
): boolean {
  const forms = allForms(world, resource).flatMap(([id, fields]) => (id === key ? [fields] : []))
  if (resource !== 'users') {
    const form = comparable({ ...listed, ...(roleId === undefined ? {} : { roleId }) }, times)
    return forms.some((fields) => comparable(fields) === form)
  }
  const form = comparable(listed, times)
  const had = forms.some(({ roleId: _, ...rest }) => comparable(rest) === form)
  return (
    had && (roleId === null || forms.some((one) => one['roleId'] === roleId && one['roleName'] === listed['roleName']))
  )
}
