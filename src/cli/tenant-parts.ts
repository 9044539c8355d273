import type { Settings, TenantSettings } from '../config/settings.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Mirror } from '../mirror/port.ts'
import type { Log } from '../model/log.ts'
import { resources } from '../resources/index.ts'
import type { SyncObserver } from '../sync/observer.ts'
import { enabledNames, shortestIntervalMs } from '../sync/rhythm.ts'
import { openTenantEngine, type TenantEngine } from '../sync/tenant-engine.ts'
import { createTenantClient } from '../tenant/client.ts'
import type { TenantClient } from '../tenant/reader.ts'
import type { Io } from './io.ts'
import { version } from './version.ts'

/** One configured tenant with everything that works on it. */
export interface TenantParts {
  readonly settings: TenantSettings
  readonly client: TenantClient
  readonly engine: TenantEngine
}

export interface TenantPartsOptions {
  readonly settings: Settings
  readonly io: Io
  readonly log: Log
  readonly mirror: Mirror
  readonly metrics: Metrics
  readonly progress?: SyncObserver['page']
}

/** Wires client and engine of every tenant; the engine is handed the client's reading half only. */
export async function openTenants(options: TenantPartsOptions): Promise<readonly TenantParts[]> {
  const { settings, io, mirror, metrics } = options
  const parts: TenantParts[] = []
  for (const tenant of settings.tenants) {
    const log = options.log.child({ tenant: tenant.name })
    const { tenant: row } = await mirror.openTenant(tenant.name, tenant.baseUrl, io.clock.now())
    const client = createTenantClient({
      name: tenant.name,
      baseUrl: tenant.baseUrl,
      auth: tenant.auth,
      api: tenant.api,
      clock: io.clock,
      random: io.random,
      env: (name) => io.env[name],
      version,
      observer: metrics.observer(tenant.name),
      log: options.log,
      cycleMs: shortestIntervalMs(tenant),
      blockedUntil: row.blockedUntil,
      resources: enabledNames(tenant),
    })
    const { clock } = io
    const observer = observerOf(metrics, options.progress)
    const engine = await openTenantEngine({
      settings: tenant,
      reader: client.reader,
      store: mirror,
      resources,
      clock,
      log,
      observer,
    })
    parts.push({ settings: tenant, client, engine })
  }
  return parts
}

/** Hands what the engine tells to the metrics. */
function observerOf(metrics: Metrics, progress: SyncObserver['page'] = () => {}): SyncObserver {
  return {
    runEnded({ outcome, durationMs, ...result }) {
      if (outcome === 'skipped') return
      metrics.syncRunEnded({ ...result, outcome, durationSeconds: durationMs / 1000 })
    },
    cursorReset: (tenant, resource) => metrics.cursorReset(tenant, resource),
    contractEvent: (tenant, resource, kind) => metrics.contractEvent(tenant, resource, kind),
    fieldsChanged(tenant, resource, { secretExpirationDate = 0 }) {
      if (resource === 'api-clients' && secretExpirationDate > 0) metrics.secretsRotated(tenant, secretExpirationDate)
    },
    page: progress,
  }
}
