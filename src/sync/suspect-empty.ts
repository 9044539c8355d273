import { SyncError } from '../model/errors.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { TenantContext } from './context.ts'

/** Holds back what an empty list would remove, where emptiness may be a failure; returns the error that ends the run. */
export async function suspectEmpty(
  { store, clock }: TenantContext,
  tenantId: number,
  resource: ResourceName,
  message = 'The list is empty, which may mean that the request could not be completed',
): Promise<SyncError> {
  const count = await store.liveCount(tenantId, resource)
  await store.raiseHold({ tenantId, resource, reason: 'suspect_empty', count, message, cause: {}, at: clock.now() })
  return new SyncError('suspect_empty', message, { hint: 'If the list is really empty, see "tenantwatch accept"' })
}
