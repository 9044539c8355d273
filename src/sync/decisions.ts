import { enabledResources, type TenantContext } from './context.ts'

/** Carries out what operators decided since the last run (contract: Accept). */
export async function applyDecisions(context: TenantContext, tenantId: number): Promise<void> {
  const { store, clock, log } = context
  for (const decision of await store.pendingDecisions(tenantId)) {
    const { holdId: hold, holdReason, reason, resource } = decision
    const stands = (await store.holds(tenantId)).some(({ id }) => id === hold)
    if (stands && holdReason === 'tenant_changed' && resource === 'all') await acceptChange(context, tenantId)
    await store.applyDecision(decision, tenantId, clock.now())
    if (stands) log.warn({ hold, reason }, 'An operator accepted a hold')
    else log.warn({ hold, reason }, 'A decision came too late: the hold is gone or holds something else by now')
  }
}

/** Cursors and walks of the old tenant mean nothing in the new one. */
async function acceptChange(context: TenantContext, tenantId: number): Promise<void> {
  const { store, settings } = context
  const enabled = enabledResources(context)
  await store.adoptBaseUrl(tenantId, settings.baseUrl)
  await store.noteTenant(tenantId, { changeAccepted: enabled.map(({ name }) => name) })
  for (const { name } of enabled) {
    const walk = await store.openWalk(tenantId, name)
    if (walk !== null) await store.dropWalk(walk.id)
    await store.noteSync(tenantId, name, { cursor: null })
  }
}
