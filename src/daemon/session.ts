import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { Mutex } from 'async-mutex'
import { waitFor } from '../api/deadline.ts'
import { checksOf } from '../checks/index.ts'
import type { Settings, Waiver } from '../config/settings.ts'
import type { Check } from '../evaluate/check.ts'
import type { OwnQueries } from '../evaluate/own-query.ts'
import type { QueryBudget } from '../evaluate/query-budget.ts'
import { waiversByTenant } from '../evaluate/waivers/waivers.ts'
import { createMetrics, type Metrics } from '../metrics/metrics.ts'
import { dayMs } from '../model/durations.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import { resultLimitMs } from '../model/freshness.ts'
import type { Log } from '../model/log.ts'
import type { Io } from '../model/process/io.ts'
import { version } from '../model/process/version.ts'
import type { SkewOf } from '../model/server-clock.ts'
import { storeSize } from '../store/db/sqlite/database-file.ts'
import type { Mirror } from '../store/port.ts'
import type { TenantStores } from '../store/tenant-stores.ts'
import type { DueRun } from '../sync/due.ts'
import type { RunResult, SyncProgress } from '../sync/observer.ts'
import { type ChangedTenants, changeTenants } from './change-tenants.ts'
import { createEvaluator, type EvaluationOptions, type Evaluator } from './evaluate.ts'
import { firstVerification } from './first-verification.ts'
import { metricsConfig } from './metrics-config.ts'
import { type OpenedStores, openStores } from './open-store.ts'
import { eraseOutdated } from './retention.ts'
import { createRunLog, type RunLog } from './run-log.ts'
import type { TenantParts, TenantPartsOptions } from './tenant-parts.ts'
import { unstoredRuns } from './unstored-runs.ts'
import { createViews, type Views } from './views.ts'

export interface RunRequest extends DueRun {
  readonly signal: AbortSignal
}

/** @property validUntil of the results of the evaluation after the run; null without one. */
export type EvaluatedRun = RunResult & { readonly validUntil: number | null }

export interface SessionOptions {
  readonly settings: Settings
  readonly io: Io
  readonly log: Log
  /** `alone`: no other engine may use the database. */
  readonly as: 'replica' | 'alone'
  readonly progress?: SyncProgress
  /** Replaces the log lines of runs. */
  readonly runLog?: RunLog
  readonly ownQueries: OwnQueries
  readonly queryBudget?: QueryBudget
  readonly clientOf?: NonNullable<TenantPartsOptions['clientOf']>
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
  readonly evaluator: Evaluator
  /** Until it resolves, the data is shown but not used. */
  readonly sound: () => Promise<void>
  readonly #options: TenantPartsOptions
  #settings: Settings
  #checks: readonly Check[]
  #views: Views
  #tenants: readonly TenantParts[] = []
  #byName: ReadonlyMap<string, TenantParts> = new Map()
  #waivers: ReadonlyMap<string, readonly Waiver[]>
  readonly #closing = new AbortController()
  readonly #changing = new Mutex()
  readonly #unstored = unstoredRuns()
  readonly #runLog: RunLog

  constructor({ settings, mirror, ...parts }: SessionOptions & OpenedStores) {
    const { io, log, stores } = parts
    const { path } = settings.store
    this.mirror = mirror
    this.stores = stores
    this.metrics = createMetrics({
      version,
      startedAt: io.clock.now(),
      config: { tenants: [] },
      read: () => this.#views.readings(),
      ...(path !== null && { storeSize: () => storeSize(path) }),
      replica: () => {
        const facts = stores.facts()
        return facts && { ...facts, tenants: this.#settings.tenants.map(({ name }) => name) }
      },
    })
    this.#runLog = parts.runLog ?? createRunLog(log)
    this.evaluator = createEvaluator({ ...parts, metrics: this.metrics, clock: io.clock })
    this.sound = firstVerification(mirror, this.#closing.signal)
    this.sound().catch(() => {})
    this.#options = { ...parts, metrics: this.metrics }
    this.#settings = settings
    this.#checks = checksOf(settings)
    this.#waivers = waiversByTenant(settings.waivers)
    this.#views = this.#viewsOf(settings)
  }

  get settings(): Settings {
    return this.#settings
  }

  get views(): Views {
    return this.#views
  }

  get tenants(): readonly TenantParts[] {
    return this.#tenants
  }

  async reconfigure(next: Settings, alongside: () => void = () => {}): Promise<ChangedTenants> {
    const changed = await this.#changing.runExclusive(async () => {
      const { tenants } = this.#settings
      try {
        await this.stores.configure(next.tenants)
        return await this.#change(next, alongside)
      } catch (error) {
        if (this.#settings !== next) await this.stores.configure(tenants).catch(() => {})
        throw error
      }
    })
    await this.#settleRemovals()
    return changed
  }

  /** Starts work on tenants that this process now owns, and ends it on tenants that it no longer owns. */
  async followStores(): Promise<ChangedTenants> {
    const changed = await this.#changing.runExclusive(() => this.#change(this.#settings, () => {}))
    // Not awaited: it waits for evaluations, and a tenant that is given back has no metrics until this method resolves.
    void this.#settleRemovals()
    return changed
  }

  /** The tenant after pending configuration changes; undefined when it was removed. */
  async settledTenant(name: string): Promise<TenantParts | undefined> {
    while (this.#changing.isLocked()) await this.#changing.waitForUnlock()
    return this.#byName.get(name)
  }

  /** @throws FatalError when the database is lost. */
  async syncAndEvaluate(tenant: TenantParts, { resource, mode, signal }: RunRequest): Promise<EvaluatedRun> {
    const { io } = this.#options
    try {
      return await this.#onStore(signal, async () => {
        const result = await tenant.scope.during(resource, () => tenant.engine.run(resource, mode, signal))
        this.#unstored.ended(result, io.clock.now())
        this.#runLog.ended(result, tenant.engine.resources, io.clock.monotonic())
        tenant.serverClock.note(result)
        if (result.outcome === 'success') tenant.client.answerTimes.settle(resource)
        if (result.outcome === 'skipped' || result.reason === 'aborted') return { ...result, validUntil: null }
        const readInFull = result.mode === 'full' && result.outcome === 'success' ? resource : undefined
        const how = { onlyInputs: [resource], beingRead: tenant.scope.resources, readInFull, signal }
        return { ...result, validUntil: await this.#evaluate(tenant.settings.name, how) }
      })
    } catch (error) {
      if (error instanceof SyncError && error.reason === 'store')
        this.#unstored.failed({ tenant: tenant.settings.name, resource, mode, message: error.message }, io.clock.now())
      throw error
    }
  }

  /** Evaluates all checks of a tenant. @returns the instant until which the results are valid; null = no threshold. */
  evaluateTenant(name: string, signal: AbortSignal): Promise<number | null> {
    return this.#onStore(signal, () => this.#evaluate(name, { signal }))
  }

  /**
   * Evaluates the tenants one after the other. Resolves, by tenant, with the instant until which its results are valid.
   *
   * @throws SyncError `store` when the results of a tenant cannot be stored, after the other tenants were evaluated.
   */
  evaluate(signal = this.#closing.signal): Promise<ReadonlyMap<string, number>> {
    return this.#onStore(signal, async () => {
      await this.evaluator.settle(signal)
      this.evaluator.forgetShared()
      const thresholds = new Map<string, number>()
      const failures: unknown[] = []
      for (const { settings } of this.#tenants) {
        await yieldToEventLoop()
        try {
          const validUntil = await this.#evaluate(settings.name, { signal })
          if (validUntil !== null) thresholds.set(settings.name, validUntil)
        } catch (error) {
          if (reasonOf(error) !== 'store') throw error
          failures.push(error)
          // Without the database the other tenants would fail, too.
          await this.mirror.ping()
        }
      }
      if (failures.length > 0) throw failures[0]
      return thresholds
    })
  }

  eraseOutdated(): Promise<boolean> {
    // With several replicas, a tenant counts as removed a day after the configuration lost it.
    this.evaluator.configure(this.#settings)
    const clocks = this.#tenants.map(({ engine, serverClock }) => ({ tenantId: engine.tenantId, clock: serverClock }))
    const retentionMs = this.#settings.historyRetentionDays * dayMs
    return eraseOutdated(this.stores.shared(), { clocks, retentionMs, now: this.#options.io.clock.now() })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new DOMException('The engine ends', 'AbortError'))
    await this.evaluator.ended()
    for (const { client } of this.#tenants) await client[Symbol.asyncDispose]()
    await this.stores[Symbol.asyncDispose]()
    await this.mirror[Symbol.asyncDispose]()
  }

  async #change(next: Settings, alongside: () => void): Promise<ChangedTenants> {
    const result = await changeTenants(this.#tenants, next.tenants, this.#options)
    this.#tenants = result.tenants
    this.#byName = new Map(result.tenants.map((tenant) => [tenant.settings.name, tenant]))
    this.#settings = next
    this.#checks = checksOf(next)
    this.#waivers = waiversByTenant(next.waivers)
    this.#views = this.#viewsOf(next)
    alongside()
    await this.metrics.configure(metricsConfig({ ...next, tenants: result.tenants.map(({ settings }) => settings) }))
    this.evaluator.configure(next)
    await yieldToEventLoop()
    for (const { client } of result.closed) await client[Symbol.asyncDispose]()
    return result
  }

  /** The settings are already in effect; the next evaluation repeats what the store rejected. */
  async #settleRemovals(): Promise<void> {
    if (!this.mirror.isVerified() || this.#closing.signal.aborted) return
    await this.evaluator.settle(this.#closing.signal).catch((error: unknown) => {
      this.#options.log.warn({ detail: String(error) }, 'Findings not closed yet')
    })
  }

  /** Uses the current settings: they may have changed during the run, and the tenant may be gone. */
  async #evaluate(name: string, how: EvaluationOptions): Promise<number | null> {
    const tenant = this.#byName.get(name)
    if (tenant === undefined) return null
    const { evaluate, ownChecks } = this.#settings
    const currentForMs = resultLimitMs(evaluate.intervalMs)
    const evaluated = { id: tenant.engine.tenantId, settings: tenant.settings, skewOf: this.#skewOf(name) }
    const serverTime = tenant.serverClock.now()
    return this.evaluator.evaluate(evaluated, {
      checks: this.#checks,
      keepUnlisted: ownChecks.incomplete,
      waivers: this.#waivers.get(name) ?? [],
      currentForMs,
      serverTime,
      ...how,
    })
  }

  #skewOf(name: string): SkewOf {
    return (resource) => this.#byName.get(name)?.client.answerTimes.skewMs(resource)
  }

  #viewsOf(settings: Settings): Views {
    const [skewOf, storeOf] = [(name: string) => this.#skewOf(name), (name: string) => this.stores.of(name)] as const
    return createViews(this.mirror, settings, this.#options.io.clock, { skewOf, storeOf, unstored: this.#unstored })
  }

  /** Results count only if the database is sound, and the right one before and after the work. */
  async #onStore<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await waitFor(this.sound(), signal)
    await this.mirror.ping()
    try {
      return await work()
    } finally {
      await this.mirror.ping()
    }
  }
}
