import { enabledResources, type TenantContext } from './context.ts'
import { isDenied } from './tenant-guard.ts'

/** Carries out what operators decided since the last run (contract: Accept); true when the whole tenant was decided on. */
export async function applyDecisions(context: TenantContext, tenantId: number): Promise<boolean> {
  const { store, clock, log } = context
  const decisions = await store.pendingDecisions(tenantId)
  for (const decision of decisions) {
    const { holdId: hold, holdReason, reason, resource } = decision
    const held = (await store.holds(tenantId)).find(({ id }) => id === hold)
    // Whoever vouches for a token that shows no known record says nothing about those records.
    const coversKnown = held === undefined || !isDenied(held)
    if (held !== undefined && holdReason === 'tenant_changed' && resource === 'all') {
      await letPass(context, tenantId)
      if (coversKnown) await forgetPlaces(context, tenantId)
    }
    await store.applyDecision(decision, { tenantId, at: clock.now(), coversKnown })
    if (held !== undefined) log.warn({ hold, reason }, 'An operator accepted a hold')
    else log.warn({ hold, reason }, 'A decision came too late: the hold is gone or holds something else by now')
  }
  return decisions.some(({ resource }) => resource === 'all')
}

async function letPass(context: TenantContext, tenantId: number): Promise<void> {
  const { store, settings } = context
  await store.adoptBaseUrl(tenantId, settings.baseUrl)
  await store.noteTenant(tenantId, { changeAccepted: enabledResources(context).map(({ name }) => name) })
}

/** Cursors and walks of the old tenant mean nothing in the new one. */
async function forgetPlaces(context: TenantContext, tenantId: number): Promise<void> {
  const { store } = context
  for (const { name } of enabledResources(context)) {
    const walk = await store.openWalk(tenantId, name)
    if (walk !== null) await store.dropWalk(walk.id)
    await store.noteSync(tenantId, name, { cursor: null })
  }
}
