import type { ResourceName } from '../model/resource-names.ts'
import type { DueRun } from '../sync/due.ts'
import type { RunResult } from '../sync/run-result.ts'
import type { Session } from './session.ts'
import { sideBySide, tenantsAtOnce } from './side-by-side.ts'
import type { TenantParts } from './tenant-parts.ts'

export interface RoundOptions {
  /** Only this tenant. */
  readonly tenant?: string
  readonly resource?: ResourceName
  /** All sweeps, due or not. */
  readonly sweep?: boolean
}

/** Runs what `sync` calls due, the resources of a tenant side by side, and judges everything at the end. */
export async function syncRound(session: Session, options: RoundOptions, signal: AbortSignal): Promise<RunResult[]> {
  const chosen = session.tenants.filter(
    ({ settings }) => options.tenant === undefined || settings.name === options.tenant,
  )
  const results = await sideBySide(chosen, tenantsAtOnce, (tenant) => runTenant(session, tenant, options, signal))
  await session.evaluate()
  return results.flat()
}

async function runTenant(
  session: Session,
  tenant: TenantParts,
  { resource, sweep = false }: RoundOptions,
  signal: AbortSignal,
): Promise<RunResult[]> {
  const due = sweep ? allSweeps(tenant) : await tenant.engine.due('sync')
  const wanted = due.filter((run) => resource === undefined || run.resource === resource)
  return Promise.all(wanted.map((run) => session.run(tenant, run.resource, run.mode, signal)))
}

function allSweeps({ engine }: TenantParts): readonly DueRun[] {
  return engine.resources.map((resource) => ({ resource, mode: 'sweep' }))
}
