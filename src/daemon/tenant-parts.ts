import { createTenantClient } from '../api/client.ts'
import type { TenantClientOptions } from '../api/options.ts'
import type { TenantClient } from '../api/reader.ts'
import type { TenantSettings } from '../config/settings.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Mirror } from '../mirror/port.ts'
import type { Field } from '../model/fields.ts'
import type { Log } from '../model/log.ts'
import type { Io } from '../model/process/io.ts'
import { version } from '../model/process/version.ts'
import { resources } from '../resources/index.ts'
import { enabledNames, shortestIntervalMs } from '../sync/intervals.ts'
import type { SyncObserver } from '../sync/observer.ts'
import { openTenantEngine, type TenantEngine } from '../sync/tenant-engine.ts'
import { ProvenClock } from './proven-clock.ts'

/** The runs of one tenant, which can be ended without those of the others. */
class TenantScope {
  readonly #underWay = new Set<Promise<unknown>>()
  #ending = new AbortController()
  #linked: { readonly to: AbortSignal; readonly both: AbortSignal } | undefined

  /** Does a piece of work; its signal is aborted with the one given, and when the work of the tenant ends. */
  async run(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const both = this.#link(signal)
    const mine = work(both).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) throw error
    })
    this.#underWay.add(mine)
    try {
      await mine
    } finally {
      this.#underWay.delete(mine)
    }
  }

  /** Aborts what is under way and waits until it has ended. */
  async end(): Promise<void> {
    this.#ending.abort(new DOMException('The configuration of the tenant changes', 'AbortError'))
    await Promise.allSettled(this.#underWay)
  }

  /** Lets work begin again after an end. */
  resume(): void {
    this.#ending = new AbortController()
    this.#linked = undefined
  }

  /** One signal for all work: the same signal given each time must not collect dependants. */
  #link(signal: AbortSignal): AbortSignal {
    if (this.#linked?.to !== signal) {
      this.#linked = { to: signal, both: AbortSignal.any([signal, this.#ending.signal]) }
    }
    return this.#linked.both
  }
}

/**
 * Tenants that are worked on at the same time. Each takes some connections, and a process has only so many files; and what
 * they answer together is written before a scrape gets its turn.
 */
export const tenantsAtOnce = 16

/** One configured tenant with everything that works on it. */
export interface TenantParts {
  readonly settings: TenantSettings
  readonly client: TenantClient
  readonly engine: TenantEngine
  readonly scope: TenantScope
  readonly serverClock: ProvenClock
}

export interface TenantPartsOptions {
  readonly io: Io
  readonly log: Log
  readonly mirror: Mirror
  readonly metrics: Metrics
  readonly progress?: SyncObserver['page']
}

/** Wires client and engine of a tenant; the engine is handed the client's reading half only. */
export async function openTenant(tenant: TenantSettings, options: TenantPartsOptions): Promise<TenantParts> {
  const { io, mirror, metrics } = options
  const { tenant: row } = await mirror.openTenant(tenant.name, tenant.baseUrl, io.clock.now())
  const client = createTenantClient({
    ...clientOptions(tenant, options),
    blockedUntil: row.blockedUntil,
    blockedForMs: row.blockedForMs,
    storeWait: (blockedUntil, blockedForMs) => mirror.noteTenant(row.id, { blockedUntil, blockedForMs }),
  })
  const engine = await openTenantEngine({
    settings: tenant,
    reader: client.reader,
    store: mirror,
    resources,
    clock: io.clock,
    log: options.log.child({ tenant: tenant.name }),
    observer: observerOf(metrics, options.progress),
  })
  return {
    settings: tenant,
    client,
    engine,
    scope: new TenantScope(),
    serverClock: new ProvenClock(client.answerTimes),
  }
}

/**
 * Makes sure that every tenant can have a client, and changes nothing.
 *
 * @throws UsageError when the configuration or the environment forbids to send its token.
 */
export async function insistOnClients(tenants: readonly TenantSettings[], options: TenantPartsOptions): Promise<void> {
  for (const tenant of tenants) await createTenantClient(clientOptions(tenant, options))[Symbol.asyncDispose]()
}

function clientOptions(tenant: TenantSettings, { io, log, metrics }: TenantPartsOptions): TenantClientOptions {
  return {
    name: tenant.name,
    baseUrl: tenant.baseUrl,
    auth: tenant.auth,
    api: tenant.api,
    clock: io.clock,
    random: io.random,
    env: (name) => io.env[name],
    version,
    observer: metrics.observer(tenant.name),
    log,
    cycleMs: shortestIntervalMs(tenant),
    resources: enabledNames(tenant),
  }
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
    datesMovedLater(tenant, resource, laterDates) {
      const { fields = {} } = resources.find(({ name }) => name === resource) ?? {}
      for (const [name, count] of Object.entries(laterDates)) {
        const field: Field | undefined = Reflect.get(fields, name)
        if (field?.kind === 'date' && field.laterMeans === 'secretRotated') metrics.secretsRotated(tenant, count)
      }
    },
    page: progress,
  }
}
