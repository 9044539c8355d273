import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { Mutex } from 'async-mutex'
import { waitFor } from '../api/deadline.ts'
import { checksOf } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import type { OwnQueries } from '../evaluate/own-query.ts'
import { createMetrics, type Metrics } from '../metrics/metrics.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import { resultLimitMs } from '../model/freshness.ts'
import { version } from '../model/process/version.ts'
import type { RunResult } from '../model/run-result.ts'
import { dayMs } from '../model/time.ts'
import { Notifier } from '../notify/notifier.ts'
import { storeSize } from '../store/db/sqlite/database-file.ts'
import type { Mirror } from '../store/port.ts'
import type { TenantStores } from '../store/tenant-stores.ts'
import type { DueRun } from '../sync/due.ts'
import { type ChangedTenants, changeTenants } from './change-tenants.ts'
import { type EvaluationOptions, Evaluator } from './evaluator.ts'
import { metricsConfig } from './metrics-config.ts'
import { type OpenedStores, openStores } from './open-store.ts'
import { eraseOutdated, othersOf } from './retention.ts'
import { createRunLog, type RunLog } from './run-log.ts'
import type { Tenant, TenantOptions } from './tenant.ts'
import { UnstoredRuns } from './unstored-runs.ts'
import { createViews, type Views } from './views.ts'

/** @property validUntil of the results of the evaluation after the run; null without one. */
export type EvaluatedRun = RunResult & { readonly validUntil: number | null }

export interface SessionOptions extends Pick<TenantOptions, 'io' | 'log' | 'progress'> {
  readonly settings: Settings
  /** `alone`: no other engine may use the database; sends no notifications. */
  readonly as: 'replica' | 'alone'
  /** Replaces the log lines of runs. */
  readonly runLog?: RunLog
  readonly ownQueries: OwnQueries
}

/** @throws FatalError when another engine uses the database, or it cannot be opened. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { settings } = options
  // With a thousand tenants each step takes long, and signals are only handled between turns of the event loop.
  await yieldToEventLoop()
  const opened = await openStores(settings, options.as, options)
  try {
    await yieldToEventLoop()
    const session = new Session({ ...options, ...opened })
    await yieldToEventLoop()
    await session.reconfigure(settings)
    return session
  } catch (error) {
    await opened.stores[Symbol.asyncDispose]()
    await opened.mirror[Symbol.asyncDispose]()
    throw error
  }
}

/** Composition root of the engine. Mirror, lock and metrics stay; tenants and views follow the configuration. */
export class Session implements AsyncDisposable {
  readonly mirror: Mirror
  readonly stores: TenantStores
  readonly metrics: Metrics
  readonly #evaluator: Evaluator
  readonly #options: TenantOptions
  #settings: Settings
  #views: Views
  #tenants: ReadonlyMap<string, Tenant> = new Map()
  #verified: Promise<void> | undefined
  readonly #closing = new AbortController()
  readonly #changing = new Mutex()
  readonly #unstored = new UnstoredRuns()
  readonly #runLog: RunLog
  readonly #notifier: Notifier | null

  constructor({ settings, mirror, ...parts }: SessionOptions & OpenedStores) {
    const { io, log, stores } = parts
    const { path } = settings.store
    this.mirror = mirror
    this.stores = stores
    this.metrics = createMetrics({
      version,
      startedAt: io.clock.now(),
      read: () => this.views.metrics(),
      ...(path !== null && { storeSize: () => storeSize(path) }),
      replica: () => stores.facts(),
    })
    this.#runLog = parts.runLog ?? createRunLog(log)
    this.#evaluator = new Evaluator({ ...parts, metrics: this.metrics, clock: io.clock })
    this.#options = { ...parts, metrics: this.metrics }
    const notified = { ...parts, metrics: this.metrics, tenants: () => this.#tenants, views: () => this.views }
    this.#notifier = parts.as === 'replica' ? new Notifier(notified) : null
    this.#settings = settings
    this.#views = this.#viewsOf(settings)
    this.#sound().catch(() => {})
  }

  get settings(): Settings {
    return this.#settings
  }

  get views(): Views {
    return this.#views
  }

  get tenants(): readonly Tenant[] {
    return [...this.#tenants.values()]
  }

  /** Puts the settings in force and follows them; if it throws, the former ones stay. */
  reconfigure(next: Settings, alongside: () => void = () => {}): Promise<ChangedTenants> {
    return this.#changing.runExclusive(async () => {
      const before = this.settings
      try {
        await this.stores.configure(next.tenants)
        return await this.#change(next, alongside)
      } catch (error) {
        if (this.settings !== next) await this.stores.configure(before.tenants).catch(() => {})
        throw error
      }
    })
  }

  /** Starts work on tenants that this process now owns, and ends it on tenants that it no longer owns. */
  followStores(): Promise<ChangedTenants> {
    return this.#changing.runExclusive(() => this.#change(this.settings, () => {}))
  }

  /** The tenant after pending configuration changes; undefined when it was removed. */
  async settledTenant(name: string): Promise<Tenant | undefined> {
    while (this.#changing.isLocked()) await this.#changing.waitForUnlock()
    return this.#tenants.get(name)
  }

  /** @throws FatalError when the database is lost. */
  async syncAndEvaluate(tenant: Tenant, run: DueRun, signal: AbortSignal): Promise<EvaluatedRun> {
    const { clock } = this.#options.io
    const { name } = tenant.settings
    try {
      return await this.#onStore(signal, async () => {
        // Before the run writes, which belongs to the time after the clock was set back.
        await this.stores.shared()?.noteTime(clock.now())
        const result = await tenant.sync(run, signal)
        this.#unstored.ended(result, clock.now())
        this.#runLog.ended(result, clock.monotonic())
        if (result.outcome === 'skipped' || result.reason === 'aborted') return { ...result, validUntil: null }
        const how = { onlyInputs: [run.resource], beingRead: tenant.reading, signal }
        return { ...result, validUntil: await this.#evaluate(name, how) }
      })
    } catch (error) {
      if (error instanceof SyncError && error.reason === 'store')
        this.#unstored.failed({ ...run, tenant: name }, error.message, clock.now())
      throw error
    }
  }

  /** Evaluates all checks of a tenant. @returns the instant until which the results are valid; null = no threshold. */
  evaluateTenant(name: string, signal: AbortSignal): Promise<number | null> {
    return this.#onStore(signal, () => this.#evaluate(name, { signal }))
  }

  /**
   * Evaluates the tenants one after the other.
   *
   * @param evaluated is called after each tenant, with the instant until which its results are valid; null = no threshold.
   * @throws SyncError `store` when the results of a tenant cannot be stored, after the other tenants were evaluated.
   */
  evaluate(
    signal = this.#closing.signal,
    evaluated?: (tenant: string, validUntil: number | null) => void,
  ): Promise<void> {
    return this.#onStore(signal, async () => {
      await this.#evaluator.settle(signal)
      this.#evaluator.forgetShared()
      const failures: unknown[] = []
      for (const name of this.#tenants.keys()) {
        await yieldToEventLoop()
        try {
          const validUntil = await this.#evaluate(name, { signal })
          evaluated?.(name, validUntil)
        } catch (error) {
          if (reasonOf(error) !== 'store') throw error
          failures.push(error)
          // Without the database the other tenants would fail, too.
          await this.mirror.ping()
        }
      }
      if (failures.length > 0) throw failures[0]
    })
  }

  async eraseOutdated(): Promise<void> {
    const { settings, stores } = this
    // With several replicas, a tenant counts as removed a day after the configuration lost it.
    this.#evaluator.configure(settings)
    const tenants = this.tenants.flatMap(({ settings: { name }, engine: { tenantId }, client }) => {
      const store = stores.of(name)
      return store === null ? [] : { store, tenantId, serverTime: client.answerTimes.now() }
    })
    const others = await othersOf(stores, settings.tenants)
    const retentionMs = settings.historyRetentionDays * dayMs
    await eraseOutdated({ tenants, others, retentionMs, now: this.#options.io.clock.now() })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new DOMException('The engine ends', 'AbortError'))
    await this.#notifier?.[Symbol.asyncDispose]()
    await this.#evaluator.ended()
    for (const tenant of this.tenants) await tenant[Symbol.asyncDispose]()
    await this.stores[Symbol.asyncDispose]()
    await this.mirror[Symbol.asyncDispose]()
  }

  async #change(next: Settings, alongside: () => void): Promise<ChangedTenants> {
    const result = await changeTenants(this.tenants, next.tenants, this.#options)
    this.#tenants = new Map(result.tenants.map((tenant) => [tenant.settings.name, tenant]))
    this.#settings = next
    this.#views = this.#viewsOf(next)
    alongside()
    await this.metrics.configure(result.tenants.map(({ settings }) => metricsConfig(settings, next)))
    this.#evaluator.configure(next)
    await this.#notifier?.follow(next)
    await yieldToEventLoop()
    for (const tenant of result.closed) await tenant[Symbol.asyncDispose]()
    return result
  }

  #viewsOf(settings: Settings): Views {
    return createViews(this.mirror, settings, this.#options.io.clock, {
      skewOf: (name, resource) => this.#tenants.get(name)?.client.answerTimes.skewMs(resource),
      owns: (name) => this.#tenants.has(name) && this.stores.of(name) !== null,
      unstored: this.#unstored,
    })
  }

  /** Uses the current settings: they may have changed during the run, and the tenant may be gone. */
  async #evaluate(name: string, how: EvaluationOptions): Promise<number | null> {
    const tenant = this.#tenants.get(name)
    if (tenant === undefined) return null
    const settings = this.#settings
    const { answerTimes } = tenant.client
    const skewOf = (resource: DueRun['resource']) => answerTimes.skewMs(resource)
    const validUntil = await this.#evaluator.evaluate(
      { id: tenant.engine.tenantId, settings: tenant.settings, skewOf },
      {
        checks: checksOf(settings),
        waivers: settings.waivers.filter((waiver) => waiver.tenant === name),
        currentForMs: resultLimitMs(settings.evaluate.intervalMs),
        serverTime: answerTimes.now(),
        ...how,
      },
    )
    this.#notifier?.evaluated(name)
    return validUntil
  }

  /** Until it resolves, the data is shown but not used. After a failure of the database server it is read again. */
  #sound(): Promise<void> {
    if (this.mirror.isVerified()) return Promise.resolve()
    this.#verified ??= this.mirror.verify(this.#closing.signal).catch((error: unknown) => {
      if (reasonOf(error) === 'store') this.#verified = undefined
      throw error
    })
    return this.#verified
  }

  /** Results count only if the database is sound, and the right one before and after the work. */
  async #onStore<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await waitFor(this.#sound(), signal)
    await this.mirror.ping()
    try {
      return await work()
    } finally {
      await this.mirror.ping()
    }
  }
}
