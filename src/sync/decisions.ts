import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import type { HoldRow } from '../store/port.ts'
import { atAddress } from '../store/sync/tenant-store.ts'
import { enabledResources, type TenantContext } from './context.ts'

/** Applies decisions of operators (docs/internals/sync.md#7-hold-and-accept); returns the resources that they concern. */
export async function applyDecisions(context: TenantContext, tenantId: number): Promise<(ResourceName | 'all')[]> {
  const { store, clock, log } = context
  const holds = await store.pendingDecisions(tenantId)
  for (const hold of holds) {
    const { id, reason: holdReason, resource, count, acceptedReason } = hold
    const coversKnown = holdReason === 'tenant_changed' && (await acceptTenant(context, tenantId, hold))
    await store.applyDecision(id, { tenantId, at: clock.now(), coversKnown })
    log.warn({ hold: id, holdReason, resource, reason: acceptedReason, count }, 'An operator accepted a hold')
  }
  return holds.map(({ resource }) => resource)
}

/** Accepts the cause of the hold; true if that includes the removal of all mirrored records. */
async function acceptTenant(context: TenantContext, tenantId: number, hold: HoldRow): Promise<boolean> {
  const { store, settings } = context
  const { cause } = hold
  switch (cause.check) {
    case 'origin':
      await store.noteTenant(tenantId, atAddress(settings.baseUrl))
      return false
    case 'page': {
      const { resource } = cause
      const others = (await store.tenant(tenantId)).admitted.filter((one) => one.resource !== resource)
      // A known GUID proved the tenant where the list alone is held: one decision is enough for all of its pages.
      const keys = hold.resource === resource ? null : cause.keys
      await store.noteTenant(tenantId, { admitted: [...others, { resource, keys }] })
      return false
    }
    case 'proof':
      await store.noteTenant(tenantId, {
        changeAccepted: enabledResources(context).map(({ name }) => name),
        acceptedIds: cause.ids,
        acceptedCredential: cause.credential,
        former: resourceNames,
      })
      await forgetPlaces(context, tenantId)
      return true
    default:
      // Other holds end by a change of the configuration or of the list only.
      return false
  }
}

/** Cursors and open full syncs of the former tenant are invalid in the new one. */
async function forgetPlaces(context: TenantContext, tenantId: number): Promise<void> {
  const { store } = context
  // Also of lists that are switched off, which may be switched on again soon.
  for (const name of resourceNames) {
    const fullSync = await store.openFullSync(tenantId, name)
    if (fullSync !== null) await store.dropFullSync(fullSync.id)
    await store.noteSync(tenantId, name, { cursor: null })
  }
}
