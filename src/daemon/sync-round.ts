import pMap from 'p-map'
import type { ResourceName } from '../model/resource-names.ts'
import { type DueRun, runTogether } from '../sync/due.ts'
import type { RunResult } from '../sync/observer.ts'
import type { Session } from './session.ts'
import { type Tenant, tenantsAtOnce } from './tenant.ts'

export interface RoundOptions {
  readonly tenant?: string
  readonly resource?: ResourceName
  readonly full?: boolean
}

export async function syncRound(session: Session, options: RoundOptions, signal: AbortSignal): Promise<RunResult[]> {
  const chosen = session.tenants.filter(
    ({ settings }) => options.tenant === undefined || settings.name === options.tenant,
  )
  const run = (tenant: Tenant) => runTenant(session, tenant, options, signal)
  const results = await pMap(chosen, run, { concurrency: tenantsAtOnce })
  await session.evaluate()
  return results.flat()
}

async function runTenant(
  session: Session,
  tenant: Tenant,
  { resource, full = false }: RoundOptions,
  signal: AbortSignal,
): Promise<RunResult[]> {
  const due = full ? allFullSyncs(tenant) : await tenant.engine.due('sync')
  const wanted = due.filter((run) => resource === undefined || run.resource === resource)
  return runTogether(wanted, (run) => session.syncAndEvaluate(tenant, { ...run, signal }))
}

function allFullSyncs({ engine }: Tenant): readonly DueRun[] {
  return engine.resources.map((resource) => ({ resource, mode: 'full' }))
}
