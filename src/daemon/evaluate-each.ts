import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { reasonOf } from '../model/errors.ts'
import type { Mirror } from '../store/port.ts'
import type { TenantParts } from './tenant-parts.ts'

/**
 * Evaluates the tenants one after the other. Resolves, by tenant, with the instant until which its results are valid.
 *
 * @param evaluate see `Evaluator`.
 * @throws SyncError `store` when the results of a tenant cannot be stored, after the other tenants were evaluated.
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
      // Without the database the other tenants would fail, too.
      await mirror.ping()
    }
  }
  if (failures.length > 0) throw failures[0]
  return thresholds
}
