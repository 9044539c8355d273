import { createHash } from 'node:crypto'
import { Semaphore } from 'async-mutex'
import { shortestGapMs } from '../config/cron.ts'
import type { CronSchedule } from '../config/settings.ts'
import type { Clock } from '../model/clock.ts'
import { dayMs, minuteMs, secondMs } from '../model/durations.ts'
import { reasonOf } from '../model/errors.ts'
import { memoize } from '../model/memoize.ts'
import type { Io } from '../model/process/io.ts'
import type { SyncMode } from '../model/resource-names.ts'
import { yieldAfter } from '../model/yield-to-event-loop.ts'
import type { Job, Scheduler } from '../schedule/scheduler.ts'
import { type DueRun, runTogether } from '../sync/due.ts'
import type { TenantEngine } from '../sync/tenant-engine.ts'
import type { RunRequest, Session } from './session.ts'
import type { StoreWatch } from './store-watch.ts'
import { type TenantParts, tenantsAtOnce } from './tenant-parts.ts'

const jitterMs = 5 * secondMs

export interface JobParts {
  readonly session: Session
  readonly io: Io
  readonly heart: { beatAt: number }
  readonly watch: StoreWatch
}

export interface Jobs {
  arrange(): void
  /** Starts runs that are due, and an evaluation in parallel; `ended` resolves when all have ended. */
  runDue(tenants: readonly TenantParts[]): Promise<{ readonly ended: Promise<unknown> }>
}

export function createJobs(scheduler: Scheduler, parts: JobParts): Jobs {
  const { session, watch } = parts
  /** One limit for all calls, because a replica takes its share of the tenants in several rounds. */
  const catchingUp = new Semaphore(tenantsAtOnce)
  /** By job name: called when the job's run waits for the end of a Retry-After, which may take a day. */
  const waiting = new Map<string, () => void>()
  /** Names of jobs whose run waits, or has waited, for that end. */
  const delayed = new Set<string>()
  const noted = {
    waits(name: string) {
      delayed.add(name)
      waiting.get(name)?.()
    },
    ended: (name: string) => void delayed.delete(name),
  }
  const arranged = new Map<string, string>()
  const shortestGap = memoize(shortestGapMs)

  const runNow = async (tenant: string, { resource, mode }: DueRun) => {
    const name = jobName(tenant, resource, mode)
    // The configuration may change before a job's turn, and an earlier call may have begun the run.
    if (!arranged.has(name) || waiting.has(name) || delayed.has(name)) return
    const { promise: untilItWaits, resolve } = Promise.withResolvers<void>()
    waiting.set(name, resolve)
    await Promise.race([ranOnce(name), untilItWaits])
    waiting.delete(name)
  }
  /** Counts a run that the schedule has started, or delays by jitter, as the due one. */
  const ranOnce = async (name: string) => {
    if ((await scheduler.runNow(name)) === 'skipped') await scheduler.ended(name)
  }
  const begin = async (
    tenants: readonly TenantParts[],
    runsOf: (engine: TenantEngine) => Promise<readonly DueRun[]>,
  ): Promise<Promise<unknown>[]> => {
    const found: { readonly tenant: string; readonly runs: readonly DueRun[] }[] = []
    const turn = yieldAfter(tenantsAtOnce)
    for (const { engine, settings } of tenants) {
      await turn()
      try {
        const runs = await runsOf(engine)
        if (runs.length > 0) found.push({ tenant: settings.name, runs })
      } catch (error) {
        // This tenant is retried by its schedule; the others continue.
        watch.jobFailed(error)
      }
    }
    return found.map(({ tenant, runs }) =>
      catchingUp.runExclusive(() => runTogether(runs, (one) => runNow(tenant, one))),
    )
  }
  const evaluateAll = evaluation(parts)
  const evaluate: Job['run'] = async (signal) => {
    await evaluateAll(signal)
    await begin(session.tenants, (engine) => engine.broughtForward())
  }

  return {
    arrange() {
      const { timezone, evaluate: often } = session.settings
      const delayOf = (name: string, { expression }: CronSchedule) =>
        splayMs(name, session.tenants.length, shortestGap(expression))
      const jobs = [
        ...session.tenants.flatMap((tenant) => syncJobs(tenant, { ...parts, ...noted, delayOf })),
        { name: 'evaluate', expression: often.expression, run: evaluate },
      ]
      const wanted = new Map(jobs.map((job) => [job.name, { ...job, timezone }]))
      const keyOf = (job: Job) => JSON.stringify([job.expression, job.timezone, job.jitterMs, job.delayMs])
      for (const [name, key] of arranged) {
        const job = wanted.get(name)
        if (job !== undefined && keyOf(job) === key) continue
        scheduler.remove(name)
        arranged.delete(name)
      }
      for (const job of wanted.values()) {
        if (arranged.has(job.name)) continue
        scheduler.add(job)
        arranged.set(job.name, keyOf(job))
      }
    },
    async runDue(tenants) {
      const evaluated = scheduler.runNow('evaluate')
      const runs = await begin(tenants, (engine) => engine.due('run'))
      return { ended: Promise.all([evaluated, ...runs]) }
    },
  }
}

const jobName = (tenant: string, resource: string, mode: SyncMode) => `${tenant} ${resource} ${mode}`

interface SyncParts extends JobParts {
  readonly delayOf: (job: string, schedule: CronSchedule) => number
  readonly waits: (job: string) => void
  readonly ended: (job: string) => void
}

function syncJobs({ settings, engine }: TenantParts, parts: SyncParts): Job[] {
  return engine.resources.flatMap((resource) => {
    const { incremental, full } = settings.resources[resource]
    const modes = [['incremental', incremental] as const, ['full', full] as const]
    return modes.flatMap(([mode, schedule]) => {
      if (schedule === null) return []
      const { expression, intervalMs } = schedule
      const name = jobName(settings.name, resource, mode)
      const sync = syncJob(settings.name, { resource, mode }, parts, () => parts.waits(name))
      const run = (stopping: AbortSignal) => sync(stopping).finally(() => parts.ended(name))
      const spread = { delayMs: parts.delayOf(name, schedule), jitterMs: Math.min(jitterMs, intervalMs / 4) }
      return [{ name, expression, run, ...spread }]
    })
  })
}

function syncJob(name: string, run: DueRun, { session, io, watch }: JobParts, waits: () => void): Job['run'] {
  return async (stopping) => {
    try {
      const tenant = await session.settledTenant(name)
      if (!tenant?.engine.resources.includes(run.resource)) return
      await tenant.scope.run(stopping, (signal) =>
        resumeAfterWait(session, tenant, { ...run, signal }, io.clock, waits),
      )
    } catch (error) {
      watch.jobFailed(error)
    }
  }
}

/** Resumes a run after each wait for a rate limit, unless it read no page since the previous wait. */
export async function resumeAfterWait(
  session: Pick<Session, 'syncAndEvaluate' | 'evaluateAfter'>,
  tenant: TenantParts,
  run: RunRequest,
  clock: Clock,
  waits: () => void = () => {},
): Promise<void> {
  for (let resumed = false; ; resumed = true) {
    const { retryAt, pages, validUntil } = await session.syncAndEvaluate(tenant, run)
    if (validUntil !== null) session.evaluateAfter(tenant.settings.name, validUntil)
    if (retryAt === null || (resumed && pages === 0)) return
    waits()
    await clock.sleep(tenant.client.waitMs(run.resource), run.signal)
  }
}

/** Delay of the first erasure, and of the next attempt while no tenant has confirmed the time. */
const firstErasureMs = 10 * minuteMs

function evaluation({ session, io, heart, watch }: JobParts): Job['run'] {
  let eraseAfter = io.clock.monotonic() + firstErasureMs
  return async (signal) => {
    try {
      await watch.verify(signal).catch((error: unknown) => {
        if (reasonOf(error) !== 'store') throw error
        watch.jobFailed(error)
      })
      const thresholds = await session.evaluate(signal)
      for (const [tenant, validUntil] of thresholds) session.evaluateAfter(tenant, validUntil)
      heart.beatAt = io.clock.monotonic()
      if (io.clock.monotonic() < eraseAfter) return
      const erased = await session.eraseOutdated()
      eraseAfter = io.clock.monotonic() + (erased ? dayMs : firstErasureMs)
    } catch (error) {
      watch.jobFailed(error)
      // A replica without its database server owns nothing; waiting for it is no stall.
      if (session.stores.facts() !== null) heart.beatAt = io.clock.monotonic()
    }
  }
}

/** Up to this number of tenants, jitter alone spreads the runs. */
const fewTenants = 10
const msATenant = 500

/**
 * Delay of a job after its tick in milliseconds: constant, so that intervals stay those of the schedule. The span is a
 * power of two, so that an added tenant seldom moves others.
 */
export function splayMs(job: string, tenants: number, shortestMs: number): number {
  if (tenants <= fewTenants) return 0
  const span = Math.min(msATenant * 2 ** Math.ceil(Math.log2(tenants)), shortestMs / 2)
  const share = createHash('sha256').update(job).digest().readUInt32BE() / 2 ** 32
  return Math.floor(share * span)
}
