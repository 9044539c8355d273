import { Semaphore } from 'async-mutex'
import { reasonOf } from '../model/errors.ts'
import { yieldAfter } from '../model/in-turns.ts'
import type { Log } from '../model/log.ts'
import type { Io } from '../model/process/io.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { EndedRun } from '../model/run-result.ts'
import { describeDuration, hourMs, minuteMs, secondMs, toIso } from '../model/time.ts'
import type { Job, Scheduler } from '../schedule/scheduler.ts'
import { type DueRun, runTogether } from '../sync/due.ts'
import type { TenantEngine } from '../sync/tenant-engine.ts'
import type { WebConfig } from '../web/web-config.ts'
import type { SyncRequest } from '../web/web-options.ts'
import type { Session } from './session.ts'
import type { StoreWatch } from './store-watch.ts'
import { syncRound } from './sync-round.ts'
import { type Tenant, tenantsAtOnce } from './tenant.ts'

/** Random delays of jobs spread over this, so that tenants do not start together. */
const jitterMs = 5 * secondMs
const jitterPerTenantMs = secondMs / 2

/** Delay of the first erasure. */
const firstErasureMs = 10 * minuteMs

/** Between two attempts to erase: each tenant is due once a day, after it has confirmed the time. */
const eraseEveryMs = hourMs

/** Least time between two runs of a resource that persons ask for. */
const askedAgainMs = minuteMs

/** What the parts of a daemon share. */
export interface DaemonParts {
  readonly session: Session
  readonly io: Io
  readonly log: Log
  readonly watch: StoreWatch
  readonly webConfiguration: WebConfig
}

/** A run of one resource of a tenant, as a job. */
interface SyncJob extends DueRun {
  readonly name: string
  readonly tenant: string
}

/** What the scheduler runs: syncs, evaluations, and both again beside its ticks. */
export class Jobs {
  readonly #scheduler: Scheduler
  readonly #parts: DaemonParts
  /** One limit for all calls, because a replica takes its share of the tenants in several rounds. */
  readonly #catchingUp = new Semaphore(tenantsAtOnce)
  /** By tenant and resource, when a person last asked for a run. */
  readonly #askedAt = new Map<string, number>()
  #requests = 0
  #eraseAfter: number
  /** Monotonic time of the last evaluation of all tenants. */
  #evaluatedAt: number
  /** That of the last tenant, while all are evaluated. */
  #progressAt = Number.NEGATIVE_INFINITY

  constructor(scheduler: Scheduler, parts: DaemonParts) {
    this.#scheduler = scheduler
    this.#parts = parts
    this.#evaluatedAt = parts.io.clock.monotonic()
    this.#eraseAfter = this.#evaluatedAt + firstErasureMs
  }

  /** Milliseconds since all tenants were evaluated or, meanwhile, the last one of them. */
  get silentMs(): number {
    return this.#parts.io.clock.monotonic() - Math.max(this.#evaluatedAt, this.#progressAt)
  }

  /** Schedules what the configuration demands of the tenants of this process. */
  arrange(): void {
    const { session } = this.#parts
    const { timezone, evaluate } = session.settings
    const evaluation: Job = {
      name: 'evaluate',
      expression: evaluate.expression,
      run: (signal) => this.#evaluate(signal),
    }
    this.#scheduler.arrange([...session.tenants.flatMap((tenant) => this.#syncJobs(tenant)), evaluation], timezone)
  }

  /** Starts runs that are due, and an evaluation in parallel; `ended` resolves when all have ended. */
  async runDue(tenants: readonly Tenant[]): Promise<{ readonly ended: Promise<unknown> }> {
    const evaluated = this.#scheduler.runNow('evaluate').then(async (outcome) => {
      if (outcome !== 'skipped') return
      // The one that runs may have begun with the tenants of before.
      await this.#scheduler.ended('evaluate')
      await this.#scheduler.runNow('evaluate')
    })
    const runs = await this.#begin(tenants, (engine) => engine.due('run'))
    return { ended: Promise.all([evaluated, ...runs]) }
  }

  /** Call after tenants were opened or changed: runs what is due of them. */
  async takeUp(tenants: readonly Tenant[]): Promise<void> {
    this.arrange()
    await this.runDue(tenants).catch((error: unknown) => {
      this.#parts.log.warn({ detail: String(error) }, 'Due runs wait for the schedule')
    })
  }

  /** From now on, works on the tenants that this process owns. */
  follow(): void {
    const { session, log } = this.#parts
    session.stores.begin({
      isIdle: (name) => session.tenants.find(({ settings }) => settings.name === name)?.isIdle ?? true,
      follow: async () => {
        const { opened, change } = await session.followStores()
        const tenants = session.tenants.length
        log.info({ tenants, taken: change.added, left: change.removed }, 'Tenants of this replica changed')
        // Not awaited: no tenant is taken or given back until `follow` resolves.
        void this.takeUp(opened)
      },
    })
  }

  /** Runs what a person asks for, each resource at most once a minute. Ends with the scheduler. */
  syncNow(options: SyncRequest): Promise<readonly EndedRun[]> {
    const { session, io } = this.#parts
    const now = io.clock.monotonic()
    const refusalOf = (tenant: string, resource: ResourceName) => {
      const key = `${tenant} ${resource}`
      const last = this.#askedAt.get(key)
      // Both runs of a resource may belong to this request.
      if (last === undefined || last === now || now - last >= askedAgainMs) {
        this.#askedAt.set(key, now)
        return null
      }
      const again = toIso(io.clock.now() + askedAgainMs - (now - last)).replace(/\.\d+/, '')
      return `It was asked for ${describeDuration(now - last)} ago; ask again from ${again}`
    }
    const round = async (signal: AbortSignal) => {
      const ended = await syncRound(session, { ...options, refusalOf }, signal)
      for (const { tenant, resource, reason } of ended)
        if (reason === 'aborted') this.#askedAt.delete(`${tenant} ${resource}`)
      await this.#evaluateAll()
      return ended
    }
    return new Promise((resolve, reject) => {
      const run = (signal: AbortSignal) => round(signal).then(resolve, reject)
      this.#scheduler.once({ name: `on request ${++this.#requests}`, run }, 0)
    })
  }

  #syncJobs({ settings, engine }: Tenant): Job[] {
    const spreadMs = Math.max(jitterMs, jitterPerTenantMs * this.#parts.session.tenants.length)
    return engine.resources.flatMap((resource) => {
      const { incremental, full } = settings.resources[resource]
      const modes = [['incremental', incremental] as const, ['full', full] as const]
      return modes.flatMap(([mode, schedule]) => {
        if (schedule === null) return []
        const { expression, intervalMs } = schedule
        const job = { name: jobName(settings.name, { resource, mode }), tenant: settings.name, resource, mode }
        const run = (stopping: AbortSignal) => this.#sync(job, stopping)
        return [{ name: job.name, expression, run, jitterMs: Math.min(spreadMs, intervalMs / 2) }]
      })
    })
  }

  /** @param isResumed whether the run continues one that ended by a wait. */
  async #sync(job: SyncJob, stopping: AbortSignal, isResumed = false): Promise<void> {
    const { session, watch } = this.#parts
    const { resource, mode } = job
    try {
      const tenant = await session.settledTenant(job.tenant)
      if (!tenant?.engine.resources.includes(resource) || !this.#scheduler.has(job.name)) return
      // A tick during a Retry-After only waits for its end.
      if (tenant.client.waitMs() > 0) return this.#resume(job, tenant)
      await tenant.work(stopping, async (signal) => {
        const { retryAt, pages, validUntil } = await session.syncAndEvaluate(tenant, { resource, mode }, signal)
        if (validUntil !== null) this.#evaluateAfter(job.tenant, validUntil)
        // One that read no page since the last wait is left to the next tick.
        if (retryAt !== null && (pages > 0 || !isResumed)) this.#resume(job, tenant)
      })
    } catch (error) {
      watch.jobFailed(error)
    }
  }

  /** Continues a run at the end of the wait that the tenant demands, which may be a day. */
  #resume(job: SyncJob, { client }: Tenant): void {
    const run = (stopping: AbortSignal) => this.#sync(job, stopping, true)
    this.#scheduler.once({ name: job.name, run }, Math.max(0, client.waitMs()))
  }

  /** Evaluates a tenant at a threshold before the next tick; otherwise the check would be `unknown` until that tick. */
  #evaluateAfter(tenant: string, validUntil: number): void {
    const { session, io, watch } = this.#parts
    const waitMs = validUntil + 1 - io.clock.now()
    if (waitMs > session.settings.evaluate.intervalMs) return
    const run = async (signal: AbortSignal) => {
      try {
        const next = await session.evaluateTenant(tenant, signal)
        if (next !== null) this.#evaluateAfter(tenant, next)
      } catch (error) {
        watch.jobFailed(error)
      }
    }
    this.#scheduler.once({ name: `${tenant} threshold`, run }, Math.max(0, waitMs))
  }

  async #evaluateAll(signal?: AbortSignal): Promise<void> {
    try {
      await this.#parts.session.evaluate(signal, (tenant, validUntil) => {
        this.#progressAt = this.#parts.io.clock.monotonic()
        if (validUntil !== null) this.#evaluateAfter(tenant, validUntil)
      })
    } finally {
      this.#progressAt = Number.NEGATIVE_INFINITY
    }
  }

  async #evaluate(signal: AbortSignal): Promise<void> {
    const { session, io, watch } = this.#parts
    try {
      await watch.verify(signal).catch((error: unknown) => {
        if (reasonOf(error) !== 'store') throw error
        watch.jobFailed(error)
      })
      await this.#evaluateAll(signal)
      this.#evaluatedAt = io.clock.monotonic()
      if (this.#evaluatedAt >= this.#eraseAfter) {
        await session.eraseOutdated()
        this.#eraseAfter = io.clock.monotonic() + eraseEveryMs
      }
    } catch (error) {
      watch.jobFailed(error)
      // A replica without its database server owns nothing; waiting for it is no stall.
      if (session.stores.facts() !== null) this.#evaluatedAt = io.clock.monotonic()
    }
    await this.#begin(session.tenants, (engine) => engine.broughtForward())
  }

  async #begin(
    tenants: readonly Tenant[],
    runsOf: (engine: TenantEngine) => Promise<readonly DueRun[]>,
  ): Promise<Promise<unknown>[]> {
    const found: { readonly tenant: string; readonly runs: readonly DueRun[] }[] = []
    const turn = yieldAfter(tenantsAtOnce)
    for (const { engine, settings } of tenants) {
      await turn()
      try {
        const runs = await runsOf(engine)
        if (runs.length > 0) found.push({ tenant: settings.name, runs })
      } catch (error) {
        // This tenant is retried by its schedule; the others continue.
        this.#parts.watch.jobFailed(error)
      }
    }
    return found.map(({ tenant, runs }) =>
      this.#catchingUp.runExclusive(() => runTogether(runs, (run) => this.#runNow(jobName(tenant, run)))),
    )
  }

  /** Counts a run that the schedule has started as the due one. */
  async #runNow(name: string): Promise<void> {
    // The configuration may change before a job's turn.
    if (!this.#scheduler.has(name)) return
    if ((await this.#scheduler.runNow(name)) === 'skipped') await this.#scheduler.ended(name)
  }
}

const jobName = (tenant: string, { resource, mode }: DueRun) => `${tenant} ${resource} ${mode}`
