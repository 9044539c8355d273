import { checksOf } from '../checks/index.ts'
import type { Settings, TenantSettings } from '../config/settings.ts'
import { isProtected } from '../config/web-settings.ts'
import { describeFailedReload } from '../model/describe.ts'
import { ownerNames } from '../model/owners.ts'
import { type OwnerView, type TenantPosture, untriedResources } from '../model/posture.ts'
import { minuteMs } from '../model/time.ts'
import { failingTargets } from '../notify/failing-targets.ts'
import type { TenantStores } from '../store/tenant-stores.ts'
import { exposesDetails } from '../web/access-control.ts'
import type { WebConfig } from '../web/web-config.ts'
import type { KnownNames, Probe, WebAccess } from '../web/web-options.ts'
import { createWebServer, type WebServer } from '../web/web-server.ts'
import type { DaemonParts, Jobs } from './jobs.ts'
import type { Reloader } from './reload.ts'
import type { Session } from './session.ts'
import type { Views } from './views.ts'

export interface WebParts extends DaemonParts {
  readonly reloader: Reloader
  readonly jobs: Jobs
}

export function createWeb(parts: WebParts): WebServer {
  const { session, webConfiguration, io, log, watch, reloader, jobs } = parts
  const { host, port } = session.settings.server
  const readiness = readinessOf(session)
  return createWebServer({
    listen: { host, port },
    access: accessOver(session, webConfiguration, host),
    clock: io.clock,
    log,
    sources: {
      metrics: () => session.metrics.render(),
      names: () => namesOf(session.settings),
      evaluates: (check) => checksOf(session.settings).find(({ id }) => id === check)?.evaluates,
      posture: (tenant) => withOwners(session, tenant),
      findings: (query) => session.views.findings(query),
      secrets: (tenant) => session.views.secrets(tenant),
      changes: (...asked) => session.views.changes(...asked),
      trend: (tenant) => session.views.trend(tenant),
      expiries: () => session.views.expiries(),
      problems: async () => {
        const failing = await failingTargets(session.mirror, session.settings)
        const { failedAt } = reloader
        return [...(failedAt === null ? [] : [describeFailedReload(failedAt)]), ...failing.values()]
      },
      // A restart of the daemon does not help while the database server is unreachable.
      health: async () =>
        (session.stores.facts() === null ? await watch.problem() : null) ?? heartbeat(session, jobs.silentMs),
      ready: async () => unconfirmed(session) ?? (await watch.problem()) ?? readiness(),
      reload: () => reloader.reload(),
      firstHash: () => session.mirror.firstHash(),
      syncNow: (asked) => jobs.syncNow(asked),
    },
  })
}

async function withOwners({ views, stores }: Session, name: string | undefined): Promise<readonly TenantPosture[]> {
  const [postures, owners] = await Promise.all([views.posture(name), stores.owners()])
  if (owners === null) return postures
  return postures.map((posture) => ({ ...posture, owner: owners.get(posture.tenant) ?? nobody }))
}

const nobody = { replica: null, isAlive: false, heartbeatAgeMs: null, since: null } as const satisfies OwnerView

function namesOf(settings: Settings): KnownNames {
  return {
    tenants: settings.tenants.map(({ name }) => name),
    checks: checksOf(settings).map(({ id }) => id),
    owners: ownerNames(settings.owners),
  }
}

function accessOver(session: Session, webConfiguration: WebConfig, host: string): () => WebAccess {
  return () => {
    const settings = webConfiguration.settings
    const guarded = isProtected(settings)
    return {
      ...settings,
      exposeDetails: exposesDetails({ ...session.settings.server, host }, guarded),
      isProtected: guarded,
      allowedHosts: session.settings.server.allowedHosts,
    }
  }
}

function heartbeat({ settings }: Session, silentMs: number): Probe {
  const ok = silentMs <= Math.max(15 * minuteMs, 3 * settings.evaluate.intervalMs)
  return { ok, text: ok ? 'The engine evaluates' : 'The engine has not evaluated for too long' }
}

/** Does not query the database, which may be silent, or a standby that answers but accepts no heartbeats. */
export function unconfirmed({ stores }: { readonly stores: Pick<TenantStores, 'facts'> }): Probe | null {
  if (stores.facts()?.isConfirmed !== false) return null
  return { ok: false, text: 'The database does not confirm this replica; see the log' }
}

/** Readiness of this process's tenants. A tenant stays ready until its settings change. */
export function readinessOf(session: {
  readonly settings: Pick<Settings, 'tenants'>
  readonly views: Pick<Views, 'posture'>
  readonly stores: Pick<TenantStores, 'of'>
}): () => Promise<Probe> {
  const ready = new WeakSet<TenantSettings>()
  return async () => {
    const own = session.settings.tenants.filter(({ name }) => session.stores.of(name) !== null)
    const waiting = new Map(
      own.flatMap((settings) => (ready.has(settings) ? [] : [[settings.name, settings] as const])),
    )
    const untried: string[] = []
    for (const posture of await session.views.posture(new Set(waiting.keys()))) {
      const settings = waiting.get(posture.tenant)
      const resources = untriedResources(posture)
      untried.push(...resources.map((resource) => `${posture.tenant} ${resource}`))
      if (settings !== undefined && resources.length === 0) ready.add(settings)
    }
    if (untried.length === 0) return { ok: true, text: 'Every resource was tried' }
    return { ok: false, text: `Not tried yet: ${untried.join(', ')}` }
  }
}
