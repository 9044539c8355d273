import pMap from 'p-map'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'
import { type DueRun, runTogether } from '../sync/due.ts'
import type { RunResult } from '../sync/observer.ts'
import type { Session } from './session.ts'
import { type Tenant, tenantsAtOnce } from './tenant.ts'

export interface RoundOptions {
  readonly tenant?: string | undefined
  readonly resource?: ResourceName | undefined
  /** `full`: every full sync; `incremental`: the incremental syncs that are due. Absent: whatever is due. */
  readonly mode?: SyncMode | undefined
  /** False for a resource that is left out; absent = all are wanted. */
  readonly isWanted?: (tenant: string, resource: ResourceName) => boolean
}

/** Runs what `tenantwatch sync` calls due (docs/internals/sync.md#due), or all of one mode, and evaluates. */
export async function syncRound(session: Session, options: RoundOptions, signal: AbortSignal): Promise<RunResult[]> {
  const { tenant } = options
  const chosen = session.tenants.filter(({ settings }) => tenant === undefined || settings.name === tenant)
  const run = (one: Tenant) => runTenant(session, one, options, signal)
  const results = await pMap(chosen, run, { concurrency: tenantsAtOnce })
  await session.evaluate()
  return results.flat()
}

async function runTenant(
  session: Session,
  tenant: Tenant,
  { resource, mode, isWanted = () => true }: RoundOptions,
  signal: AbortSignal,
): Promise<readonly RunResult[]> {
  const results: RunResult[] = []
  await tenant.work(signal, async (ending) => {
    const due = mode === 'full' ? allFullSyncs(tenant) : await tenant.engine.due('sync')
    const wanted = due.filter(
      (run) =>
        (resource === undefined || run.resource === resource) &&
        (mode === undefined || run.mode === mode) &&
        isWanted(tenant.settings.name, run.resource),
    )
    results.push(...(await runTogether(wanted, (run) => session.syncAndEvaluate(tenant, { ...run, signal: ending }))))
  })
  return results
}

function allFullSyncs({ engine }: Tenant): readonly DueRun[] {
  return engine.resources.map((resource) => ({ resource, mode: 'full' }))
}
