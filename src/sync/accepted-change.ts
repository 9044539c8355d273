import type { TenantRow } from '../store/port.ts'
import { identifyingLists } from './context.ts'
import type { Answered, Evidence, ProofContext } from './identity-proof.ts'

/** Most ids stored with a hold, to recognize its tenant. */
const mostIds = 200

/** Resources to sync in full after another tenant was accepted under this credential; null if none was. */
export function acceptedChange(
  { changeAccepted, acceptedCredential }: Pick<TenantRow, 'acceptedCredential' | 'changeAccepted'>,
  answered: Answered | null,
): readonly string[] | null {
  return answered?.credential === acceptedCredential ? changeAccepted : null
}

/** True until a list with GUIDs of the accepted tenant is mirrored; from then on its ids prove the identity. */
export async function awaitsAccepted(context: ProofContext, owed: readonly string[]): Promise<boolean> {
  const lists = await identifyingLists(context, context.tenantId)
  return lists.every(({ definition }) => owed.includes(definition.name))
}

/** Ids for the cause of a hold, sorted, because the order of answers may vary. */
export function idsOf({ shown }: Evidence): readonly string[] {
  return [...shown].sort().slice(0, mostIds)
}

/** True when a list that was read then and now has none of those ids: the data are a third tenant's. */
export function isOther({ strange, shown }: Pick<Evidence, 'shown' | 'strange'>, ids: readonly string[]): boolean {
  const comparable = ids.filter((id) => strange.some(({ name }) => id.startsWith(`${name} `)))
  return comparable.length > 0 && !comparable.some((id) => shown.has(id))
}
