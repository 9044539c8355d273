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
import { SyncError } from '../model/errors.ts'
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
import { evaluateEach } from './evaluate-each.ts'
import { firstVerification } from './first-verification.ts'
import { metricsConfig } from './metrics-config.ts'
import { type OpenedStores, openStores } from './open-store.ts'
import { owedRemovals } from './owed-removals.ts'
import { type OwnCredentials, ownCredentials } from './own-credential.ts'
import { eraseOutdated } from './retention.ts'
import { createRunLog, type RunLog } from './run-log.ts'
import type { TenantParts, TenantPartsOptions } from './tenant-parts.ts'
import { type ThresholdEvaluations, thresholdEvaluations } from './threshold-evaluations.ts'
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
  readonly #ownCredentials: OwnCredentials
  #settings: Settings
  #checks: readonly Check[]
  #views: Views
  #tenants: readonly TenantParts[] = []
  #byName: ReadonlyMap<string, TenantParts> = new Map()
  #waivers: ReadonlyMap<string, readonly Waiver[]>
  readonly #closing = new AbortController()
  readonly #changing = new Mutex()
  readonly #removals = owedRemovals(async () => {
    await this.evaluator.inForce(this.#settings)
    await this.evaluator.closeRemoved(this.#settings.tenants.map(({ name }) => name))
  })
  readonly #thresholds: ThresholdEvaluations
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
      config: { tenants: [], waivers: [] },
      read: () => this.#views.readings(),
      ...(path !== null && { storeSize: () => storeSize(path) }),
      replica: () => {
        const facts = stores.facts()
        return facts && { ...facts, tenants: this.#settings.tenants.map(({ name }) => name) }
      },
    })
    this.#ownCredentials = ownCredentials(log)
    this.#runLog = parts.runLog ?? createRunLog(log)
    this.#thresholds = thresholdEvaluations(io.clock, this.#closing.signal, (name, signal) =>
      this.#reevaluate(name, signal),
    )
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
      const undo = await this.stores.configure(next.tenants)
      return this.#change(next, alongside).catch((error: unknown) => {
        if (this.#settings !== next) undo()
        throw error
      })
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
      await this.#insistOnStore(signal)
      try {
        const result = await tenant.runs.during(resource, () => tenant.engine.run(resource, mode, signal))
        this.#unstored.ended(result, io.clock.now())
        this.#runLog.ended(result, tenant.engine.resources, io.clock.monotonic())
        tenant.serverClock.note(result)
        if (result.outcome === 'success') tenant.client.answerTimes.settle(resource)
        if (result.outcome === 'skipped' || result.reason === 'aborted') return { ...result, validUntil: null }
        const readInFull = result.mode === 'full' && result.outcome === 'success' ? resource : undefined
        const how = { onlyInputs: [resource], beingRead: tenant.runs.resources, readInFull, signal }
        return { ...result, validUntil: await this.#evaluateTenant(tenant.settings.name, how) }
      } finally {
        await this.mirror.ping()
      }
    } catch (error) {
      if (error instanceof SyncError && error.reason === 'store')
        this.#unstored.failed({ tenant: tenant.settings.name, resource, mode, message: error.message }, io.clock.now())
      throw error
    }
  }

  /** See `evaluateEach`. */
  async evaluate(signal = this.#closing.signal): Promise<ReadonlyMap<string, number>> {
    await this.#insistOnStore(signal)
    try {
      await waitFor(this.#removals.settle(), signal).catch((error) => this.evaluator.missed(this.#byName.keys(), error))
      this.evaluator.forgetShared()
      return await evaluateEach(this.#tenants, this.mirror, async ({ settings, engine }) => {
        const validUntil = await this.#evaluateTenant(settings.name, { signal })
        await this.#ownCredentials.look(settings, this.mirror.records(engine.tenantId), this.#options.io.clock.now())
        return validUntil
      })
    } finally {
      await this.mirror.ping()
    }
  }

  /** Evaluates a tenant at a threshold before the next tick; otherwise the check would be `unknown` until that tick. */
  evaluateAfter(name: string, validUntil: number): void {
    this.#thresholds.evaluateAfter(name, validUntil, this.#settings.evaluate.intervalMs)
  }

  eraseOutdated(): Promise<boolean> {
    // With several replicas, a tenant counts as removed a day after the configuration lost it.
    this.#removals.owe()
    const clocks = this.#tenants.map(({ engine, serverClock }) => ({ tenantId: engine.tenantId, clock: serverClock }))
    const retentionMs = this.#settings.historyRetentionDays * dayMs
    return eraseOutdated(this.stores.shared(), { clocks, retentionMs, now: this.#options.io.clock.now() })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new DOMException('The engine ends', 'AbortError'))
    await this.#thresholds.ended()
    await this.#removals.ended()
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
    this.evaluator.tolerateFailures(next.evaluate.intervalMs)
    this.#waivers = waiversByTenant(next.waivers)
    this.#views = this.#viewsOf(next)
    alongside()
    await this.metrics.configure(metricsConfig({ ...next, tenants: result.tenants.map(({ settings }) => settings) }))
    this.#removals.owe()
    await yieldToEventLoop()
    for (const { client } of result.closed) await client[Symbol.asyncDispose]()
    return result
  }

  /** The settings are already in effect; the next evaluation repeats what the store rejected. */
  async #settleRemovals(): Promise<void> {
    if (this.mirror.isVerified() && !this.#closing.signal.aborted) await this.#removals.tryToSettle(this.#options.log)
  }

  /** Uses the current settings: they may have changed during the run, and the tenant may be gone. */
  async #evaluateTenant(name: string, how: EvaluationOptions): Promise<number | null> {
    await waitFor(this.#removals.settle(), how.signal).catch((error: unknown) => this.evaluator.failed(name, error))
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

  async #reevaluate(name: string, signal: AbortSignal): Promise<number | null> {
    await this.#insistOnStore(signal)
    return this.#evaluateTenant(name, { signal }).finally(() => this.mirror.ping())
  }

  #skewOf(name: string): SkewOf {
    return (resource) => this.#byName.get(name)?.client.answerTimes.skewMs(resource)
  }

  #viewsOf(settings: Settings): Views {
    const [skewOf, storeOf] = [(name: string) => this.#skewOf(name), (name: string) => this.stores.of(name)] as const
    const known = { skewOf, storeOf, unstored: this.#unstored, evaluator: this.evaluator }
    return createViews(this.mirror, settings, this.#options.io.clock, known)
  }

  /** Results count only if the database is the right one before the work and, by another `ping`, after it. */
  async #insistOnStore(signal: AbortSignal): Promise<void> {
    await waitFor(this.sound(), signal).catch((error) => this.evaluator.missed(this.#byName.keys(), error))
    await this.mirror.ping()
  }
}
