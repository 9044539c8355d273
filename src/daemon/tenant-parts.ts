import { createTenantClient } from '../api/client.ts'
import type { TenantClientOptions } from '../api/options.ts'
import type { TenantClient } from '../api/reader.ts'
import type { TenantSettings } from '../config/settings.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { SyncError } from '../model/errors.ts'
import type { Field } from '../model/fields.ts'
import type { Log } from '../model/log.ts'
import type { Io } from '../model/process/io.ts'
import { version } from '../model/process/version.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { type ServerClock, serverTimesReached } from '../model/server-clock.ts'
import { resources } from '../resources/index.ts'
import type { Mirror } from '../store/port.ts'
import type { TenantStores } from '../store/tenant-stores.ts'
import { enabledNames, shortestIntervalMs } from '../sync/due.ts'
import type { RunResult, SyncObserver, SyncProgress } from '../sync/observer.ts'
import { openTenantEngine, type TenantEngine } from '../sync/tenant-engine.ts'

/** The server time of a tenant with a proven identity: none before the first success, nor during its hold. */
export class ProvenClock implements ServerClock {
  readonly #clock: ServerClock
  #proven = false

  constructor(clock: ServerClock) {
    this.#clock = clock
  }

  note({ outcome, reason }: Pick<RunResult, 'outcome' | 'reason'>): void {
    if (outcome === 'success') this.#proven = true
    else if (reason === 'tenant_changed') this.#proven = false
  }

  now(): number | null {
    return this.#proven ? this.#clock.now() : null
  }
}

/** The work under way on a tenant. */
class TenantScope {
  readonly #underWay = new Set<Promise<unknown>>()
  #resources: readonly ResourceName[] = []
  #ending = new AbortController()
  #linked: { readonly to: AbortSignal; readonly both: AbortSignal } | undefined

  get isIdle(): boolean {
    return this.#underWay.size === 0
  }

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

  /**
   * Resources that runs are reading. A check waits for the runs of all of its inputs: in between, it would see one resource
   * before and another one after the same change. The next tick of the schedule evaluates in any case.
   */
  get resources(): readonly ResourceName[] {
    return this.#resources
  }

  async during<T>(resource: ResourceName, run: () => Promise<T>): Promise<T> {
    this.#resources = [...this.#resources, resource]
    try {
      return await run()
    } finally {
      this.#resources = this.#resources.toSpliced(this.#resources.indexOf(resource), 1)
    }
  }

  async end(): Promise<void> {
    this.#ending.abort(new DOMException('The configuration of the tenant changes', 'AbortError'))
    await Promise.allSettled(this.#underWay)
  }

  resume(): void {
    this.#ending = new AbortController()
    this.#linked = undefined
  }

  /** One combined signal for all work: one with listeners lives as long as its sources. */
  #link(signal: AbortSignal): AbortSignal {
    if (this.#linked?.to !== signal) {
      this.#linked = { to: signal, both: AbortSignal.any([signal, this.#ending.signal]) }
    }
    return this.#linked.both
  }
}

/** Limits open connections, and how long writing their answers can delay a scrape. */
export const tenantsAtOnce = 16

export interface TenantParts {
  readonly settings: TenantSettings
  readonly store: Mirror
  readonly client: TenantClient
  readonly engine: TenantEngine
  readonly scope: TenantScope
  readonly serverClock: ProvenClock
}

export interface TenantPartsOptions {
  readonly io: Io
  readonly log: Log
  readonly stores: TenantStores
  readonly metrics: Metrics
  readonly progress?: SyncProgress
  /** Default: over HTTP. */
  readonly clientOf?: typeof createTenantClient
}

/**
 * The engine only gets the reading half of the client.
 *
 * @throws SyncError `aborted` when another replica owns the tenant.
 */
export async function openTenant(tenant: TenantSettings, options: TenantPartsOptions): Promise<TenantParts> {
  const { io, stores, metrics, clientOf = createTenantClient } = options
  const store = stores.of(tenant.name)
  if (store === null) throw new SyncError('aborted', `Another replica owns ${tenant.name}`)
  const { tenant: row } = await store.openTenant(tenant.name, tenant.baseUrl, io.clock.now())
  const client = clientOf({
    ...clientOptions(tenant, options),
    serverTimesReached: serverTimesReached(await store.quality(row.id)),
    blockedUntil: row.blockedUntil,
    blockedForMs: row.blockedForMs,
    storeWait: (blockedUntil, blockedForMs) => store.noteTenant(row.id, { blockedUntil, blockedForMs }),
  })
  const engine = await openTenantEngine({
    settings: tenant,
    reader: client.reader,
    store,
    resources,
    clock: io.clock,
    log: options.log.child({ tenant: tenant.name }),
    observer: observerOf(metrics, options.progress),
  })
  return {
    settings: tenant,
    store,
    client,
    engine,
    scope: new TenantScope(),
    serverClock: new ProvenClock(client.answerTimes),
  }
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

function observerOf(metrics: Metrics, progress?: SyncProgress): SyncObserver {
  return {
    runEnded(ended) {
      progress?.runEnded(ended)
      const { outcome, durationMs, ...result } = ended
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
    page: (...read) => progress?.page(...read),
    lookedUp: (...details) => progress?.lookedUp(...details),
  }
}
