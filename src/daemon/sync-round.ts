import pMap from 'p-map'
import type { TenantPosture } from '../model/posture.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { type EndedRun, noCounts } from '../model/run-result.ts'
import { type DueRun, runTogether } from '../sync/due.ts'
import type { SyncRequest } from '../web/web-options.ts'
import type { Session } from './session.ts'
import { type Tenant, tenantsAtOnce } from './tenant.ts'

export interface RoundOptions extends SyncRequest {
  /** Why a resource is not run now; null = it is. */
  readonly refusalOf?: (tenant: string, resource: ResourceName) => string | null
}

/**
 * Runs what `tenantwatch sync` calls due (docs/internals/sync.md#due), or all of one mode. What is asked for and does not
 * run is `skipped`, with the reason.
 */
export async function syncRound(session: Session, options: RoundOptions, signal: AbortSignal): Promise<EndedRun[]> {
  const names = session.tenants.map(({ settings }) => settings.name)
  const run = async (name: string) => {
    const tenant = await session.settledTenant(name)
    return tenant === undefined ? [] : await runTenant(session, tenant, options, signal)
  }
  const chosen = names.filter((name) => options.tenant === undefined || name === options.tenant)
  return (await pMap(chosen, run, { concurrency: tenantsAtOnce })).flat()
}

async function runTenant(
  session: Session,
  tenant: Tenant,
  { resource, mode, refusalOf = () => null }: RoundOptions,
  signal: AbortSignal,
): Promise<readonly EndedRun[]> {
  const results: EndedRun[] = []
  const { name } = tenant.settings
  await tenant.work(signal, async (ending) => {
    const due = mode === 'full' ? allFullSyncs(tenant) : await tenant.engine.due('sync')
    const isAsked = (run: DueRun) =>
      (resource === undefined || run.resource === resource) && (mode === undefined || run.mode === mode)
    const asked = due.filter(isAsked)
    const refusals = asked.map((run) => ({ run, message: refusalOf(name, run.resource) }))
    if (resource !== undefined && asked.length === 0)
      refusals.push({ run: { resource, mode: mode ?? 'full' }, message: whyNone(tenant, resource) })
    const wanted = refusals.flatMap(({ run, message }) => (message === null ? [run] : []))
    if (wanted.length < refusals.length) {
      const [posture] = await session.views.posture(name)
      results.push(
        ...refusals.flatMap(({ run, message }) => (message === null ? [] : skipped(name, run, message, posture))),
      )
    }
    if (wanted.length > 0) tenant.engine.probeSoon()
    const runAll = (runs: readonly DueRun[]) => runTogether(runs, (run) => session.syncAndEvaluate(tenant, run, ending))
    results.push(...(await runAll(wanted)))
    // Nobody may run them later.
    results.push(...(await runAll((await tenant.engine.broughtForward()).filter(isAsked))))
  })
  return results
}

function allFullSyncs({ engine }: Tenant): readonly DueRun[] {
  return engine.resources.map((resource) => ({ resource, mode: 'full' }))
}

function whyNone({ engine }: Tenant, resource: ResourceName): string {
  return engine.resources.includes(resource)
    ? 'There is no incremental sync of it now: ask for a full one'
    : 'It is switched off in the configuration'
}

function skipped(tenant: string, run: DueRun, message: string, posture: TenantPosture | undefined): EndedRun {
  const view = posture?.resources.find(({ enabled, resource }) => enabled && resource === run.resource)
  const last = view?.modes.find(({ mode }) => mode === run.mode)
  const reason = last?.up === false ? last.reason : null
  return { tenant, ...run, outcome: 'skipped', reason, message, hint: null, counts: noCounts, durationMs: 0 }
}
