import { type Mirror, sharedChain } from '../store/port.ts'
import type { TenantStores } from '../store/tenant-stores.ts'

interface Owner {
  readonly store: Pick<Mirror, 'eraseOutdated'>
  readonly tenantId: number
}

export interface Retention {
  /** The configured tenants; time null = the tenant's server has confirmed none. */
  readonly tenants: readonly (Owner & { readonly serverTime: number | null })[]
  readonly others: readonly Owner[]
  readonly retentionMs: number
  readonly now: number
}

/** Former tenants and the shared chain; none where another replica erases them. */
export async function othersOf(
  stores: TenantStores,
  configured: readonly { readonly name: string }[],
): Promise<readonly Owner[]> {
  const store = stores.shared()
  if (store === null) return []
  const removed = new Set(await stores.removed(configured.map(({ name }) => name)))
  const former = (await store.tenants()).filter(({ name }) => removed.has(name))
  return [sharedChain, ...former.map(({ id }) => id)].map((tenantId) => ({ store, tenantId }))
}

/**
 * Erases data after its retention: that of a tenant by the earlier of the local clock and its own server's time, that of
 * others by the earliest of all clocks, once every tenant has confirmed its time (docs/internals/sync.md#18-history).
 */
export async function eraseOutdated({ tenants, others, retentionMs, now }: Retention): Promise<void> {
  const erase = ({ store, tenantId }: Owner, serverTimes: readonly number[]) => {
    const [earliest, latest] = [Math.min(now, ...serverTimes), Math.max(now, ...serverTimes)]
    return store.eraseOutdated({ tenantId, before: earliest - retentionMs, latest, at: now })
  }
  const known: number[] = []
  for (const { serverTime, ...tenant } of tenants) {
    if (serverTime === null) continue
    known.push(serverTime)
    await erase(tenant, [serverTime])
  }
  if (known.length === 0 || known.length < tenants.length) return
  for (const other of others) await erase(other, known)
}
