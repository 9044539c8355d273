import { createTenantClient, type TenantClient } from '../api/client.ts'
import type { TenantSettings } from '../config/settings.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { SyncError } from '../model/errors.ts'
import type { Log } from '../model/log.ts'
import type { Io } from '../model/process/io.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { RunResult } from '../model/run-result.ts'
import { serverTimesReached } from '../model/server-clock.ts'
import type { Mirror } from '../store/port.ts'
import { waitAt } from '../store/sync/tenant-store.ts'
import type { TenantStores } from '../store/tenant-stores.ts'
import type { SyncObserver, SyncProgress } from '../sync/context.ts'
import { type DueRun, enabledNames, shortestIntervalMs } from '../sync/due.ts'
import { openTenantEngine, type TenantEngine } from '../sync/tenant-engine.ts'

/** Limits open connections, and how long writing their answers can delay a scrape. */
export const tenantsAtOnce = 16

export interface TenantOptions {
  readonly io: Io
  readonly log: Log
  readonly stores: TenantStores
  readonly metrics: Metrics
  readonly progress?: SyncProgress
}

interface Parts {
  readonly store: Mirror
  readonly client: TenantClient
  readonly engine: TenantEngine
}

/** A tenant that this process works on, from its opening until `stop`. */
export class Tenant implements AsyncDisposable {
  settings: TenantSettings
  readonly store: Mirror
  readonly client: TenantClient
  readonly engine: TenantEngine
  /**
   * Resources that runs are reading. A check waits for the runs of all of its inputs: in between, it would see one resource
   * before and another one after the same change. The next tick of the schedule evaluates in any case.
   */
  reading: readonly ResourceName[] = []
  readonly #underWay = new Set<Promise<unknown>>()
  #ending = new AbortController()
  #linked: { readonly to: AbortSignal; readonly both: AbortSignal } | undefined

  constructor(settings: TenantSettings, { store, client, engine }: Parts) {
    this.settings = settings
    this.store = store
    this.client = client
    this.engine = engine
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0
  }

  /** Does work that `stop` aborts. */
  async work(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    // One combined signal for all work: one with listeners lives as long as its sources.
    if (this.#linked?.to !== signal) this.#linked = { to: signal, both: AbortSignal.any([signal, this.#ending.signal]) }
    const mine = work(this.#linked.both).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) throw error
    })
    this.#underWay.add(mine)
    await mine.finally(() => this.#underWay.delete(mine))
  }

  async sync({ resource, mode }: DueRun, signal: AbortSignal): Promise<RunResult> {
    this.reading = [...this.reading, resource]
    try {
      const result = await this.engine.run(resource, mode, signal)
      this.client.answerTimes.runEnded(result)
      return result
    } finally {
      this.reading = this.reading.toSpliced(this.reading.indexOf(resource), 1)
    }
  }

  /** Aborts all work and waits for its end. */
  async stop(): Promise<void> {
    this.#ending.abort(new DOMException('The work on the tenant ends', 'AbortError'))
    await Promise.allSettled(this.#underWay)
  }

  /** Work may begin again after `stop`. */
  resume(): void {
    this.#ending = new AbortController()
    this.#linked = undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.client[Symbol.asyncDispose]()
  }
}

/**
 * The engine only gets the reading half of the client.
 *
 * @throws SyncError `aborted` when another replica owns the tenant.
 */
export async function openTenant(settings: TenantSettings, options: TenantOptions): Promise<Tenant> {
  const { io, log, stores, metrics, progress } = options
  const { name, baseUrl, auth, api } = settings
  const { clock, random } = io
  const store = stores.of(name)
  if (store === null) throw new SyncError('aborted', `Another replica owns ${name}`)
  const { tenant: row } = await store.openTenant(name, baseUrl, clock.now())
  const client = createTenantClient({
    ...{ name, baseUrl, auth, api, clock, random, log },
    env: (variable) => io.env[variable],
    observer: metrics.observer(name),
    cycleMs: shortestIntervalMs(settings),
    resources: enabledNames(settings),
    serverTimesReached: serverTimesReached(await store.quality(row.id)),
    ...waitAt(baseUrl, row),
    storeWait: (blockedUntil, blockedForMs) => store.noteTenant(row.id, { blockedUntil, blockedForMs }),
  })
  const engine = await openTenantEngine({
    ...{ settings, store, clock },
    reader: client.reader,
    log: log.child({ tenant: name }),
    observer: observerOf(metrics, progress),
  })
  return new Tenant(settings, { store, client, engine })
}

function observerOf(metrics: Metrics, progress?: SyncProgress): SyncObserver {
  return {
    runEnded(ended) {
      progress?.runEnded(ended)
      metrics.syncRunEnded(ended)
    },
    cursorReset: (tenant, resource) => metrics.count('tenantwatch_sync_cursor_resets_total', { tenant, resource }, 1),
    contractEvent: (tenant, resource, kind) =>
      metrics.count('tenantwatch_contract_events_total', { tenant, resource, kind }, 1),
    secretsRotated: (tenant, count) => metrics.count('tenantwatch_secret_rotations_total', { tenant }, count),
    page: (...read) => progress?.page(...read),
    lookedUp: (...details) => progress?.lookedUp(...details),
  }
}
