import { reasonOf, SyncError } from '../model/errors.ts'
import { enabledResources, type TenantContext } from './context.ts'
import { fetchOf, idOf } from './page-reading.ts'
import type { Fetched, ResourceDefinition } from './resource.ts'

/**
 * What the first pages showed: an id the mirror knows, none, only refusals where the mirror has records that could have
 * been recognized, or nothing because there are no such records.
 */
export interface Sighting {
  readonly seen: 'known' | 'stranger' | 'denied' | 'nothing'
  /** Identity of the answer that decided. */
  readonly identity: number | null
  /** Records shown on the pages that counted; of refused ones those that the mirror has. */
  readonly records: number
  /** Permissions that the token lacks, of resources of which the mirror has records. */
  readonly lacking: readonly string[]
}

/**
 * Reads first pages until one shows an id that the mirror knows, live, tombstoned or quarantined (contract: Tenant
 * guard, a). A page that the caller just fetched without a cursor is not asked for again.
 *
 * @throws SyncError with the reason of the first page that could not be read, when no other page showed a known id.
 */
export async function firstPageKnown(
  context: TenantContext,
  tenantId: number,
  given: { readonly definition: ResourceDefinition; readonly fetched: Fetched } | undefined,
  signal: AbortSignal,
): Promise<Sighting> {
  const { store } = context
  let identity: number | null = null
  let records = 0
  let unseen = 0
  let counted = false
  let failure: unknown
  const lacking: string[] = []
  for (const definition of witnessesOf(context)) {
    const live = await store.liveCount(tenantId, definition.name)
    if (live === 0) continue
    try {
      const fetched = given?.definition === definition ? given.fetched : await fetchOf(context, definition, {}, signal)
      identity = fetched.meta.identity
      const ids = fetched.items.map((item) => idOf(item, definition.idField)).filter((id) => id !== null)
      if ((await store.knownKeys(tenantId, definition.name, ids)) > 0) {
        return { seen: 'known', identity, records: fetched.items.length, lacking }
      }
      if (fetched.items.length === 0 && definition.kind === 'walk') {
        failure ??= new SyncError('suspect_empty', `The list of ${definition.name} is empty, which proves nothing`)
        continue
      }
      counted = true
      records += fetched.items.length
    } catch (error) {
      if (reasonOf(error) === 'aborted') throw error
      if (reasonOf(error) === 'missing_permission') {
        lacking.push(definition.permission)
        unseen += live
      } else failure ??= error
    }
  }
  if (failure !== undefined) throw failure
  if (counted) return { seen: 'stranger', identity, records, lacking }
  return { seen: lacking.length > 0 ? 'denied' : 'nothing', identity, records: unseen, lacking }
}

function witnessesOf(context: TenantContext): readonly ResourceDefinition[] {
  return enabledResources(context)
    .filter(({ witness }) => witness !== undefined)
    .sort((a, b) => (a.witness ?? 0) - (b.witness ?? 0))
}
