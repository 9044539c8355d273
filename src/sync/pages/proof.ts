import { enabledResources } from '../context.ts'
import type { Run } from '../run.ts'

/** True if the mirror has API clients or documents, whose ids prove the tenant's identity (docs/internals/sync.md#8-tenant-identity). */
export async function isProvable({ context, tenantId }: Run): Promise<boolean> {
  for (const { name, identifiedBy } of enabledResources(context))
    if (identifiedBy === 'guid' && (await context.store.liveCount(tenantId, name)) > 0) return true
  return false
}

/** Proves the identity before removals if the full sync read no known GUID. */
export async function proveEnd(run: Run): Promise<void> {
  const { context, definition, guard, tenantId } = run
  if (definition.identifiedBy !== 'guid' || run.proven) return
  if ((await context.store.liveCount(tenantId, definition.name)) > 0) await guard.prove(run)
  run.proven = true
}
