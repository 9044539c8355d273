import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Mirror } from '../mirror/port.ts'
import { reasonOf } from '../model/errors.ts'
import type { TenantParts } from './tenant-parts.ts'

/**
 * Evaluates the tenants one after the other. Resolves with the instants, by tenant, until which the results hold.
 *
 * @param evaluate see `Evaluator`.
 * @throws SyncError `store` when the results of a tenant cannot be stored; those after it are evaluated first.
 */
export async function evaluateEach(
  tenants: readonly TenantParts[],
  mirror: Pick<Mirror, 'ping'>,
  evaluate: (tenant: TenantParts) => Promise<number | null>,
): Promise<ReadonlyMap<string, number>> {
  const thresholds = new Map<string, number>()
  const failures: unknown[] = []
  for (const tenant of tenants) {
    await yieldToEventLoop()
    try {
      const validUntil = await evaluate(tenant)
      if (validUntil !== null) thresholds.set(tenant.settings.name, validUntil)
    } catch (error) {
      if (reasonOf(error) !== 'store') throw error
      failures.push(error)
      // Without its database, the others would fail, too.
      await mirror.ping()
    }
  }
  await storeConfirmations(new Set(tenants.map(({ store }) => store)))
  if (failures.length > 0) throw failures[0]
  return thresholds
}

/** @throws SyncError `store`. */
async function storeConfirmations(stores: Iterable<Pick<Mirror, 'storeConfirmations'>>): Promise<void> {
  for (const store of stores) {
    await store.storeConfirmations().catch((error: unknown) => {
      // Another replica, which took the tenant meanwhile, evaluates it.
      if (reasonOf(error) !== 'aborted') throw error
    })
  }
}
