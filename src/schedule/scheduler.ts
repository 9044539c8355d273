import { type Clock, type Random, sleepsUntil } from '../model/clock.ts'
import { minuteMs, secondMs } from '../model/durations.ts'
import { yieldAfter } from '../model/in-turns.ts'
import type { Log } from '../model/log.ts'
import { cronTimes, type NextTick } from './cron-times.ts'

/** Least change that counts as a jump: more than slewing changes between two checks. */
const jumpMs = 2 * secondMs

interface WallClockWatch {
  jumped(): boolean
  /** Total unreported change in milliseconds, negative = set back; null if there is none. */
  report(): number | null
}

/** Reports at most once a minute, so that a clock set repeatedly does not flood the log or the tenants. */
function wallClockWatch(clock: Clock): WallClockWatch {
  const offset = () => clock.now() - clock.monotonic()
  let known = offset()
  let unreported: number | null = null
  let reportAfter = Number.NEGATIVE_INFINITY
  return {
    jumped() {
      const by = offset() - known
      known += by
      if (Math.abs(by) < jumpMs) return false
      unreported = (unreported ?? 0) + by
      return true
    },
    report() {
      if (unreported === null || clock.monotonic() < reportAfter) return null
      const by = unreported
      unreported = null
      reportAfter = clock.monotonic() + minuteMs
      return by
    },
  }
}

/** Longest sleep, so that a jump of the wall clock is noticed soon. */
const maxSleepMs = 5 * secondMs

/** Most jobs of one expression that are launched in one turn of the event loop. */
const launchedATurn = 500

export interface SchedulerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly timezone: string
  readonly onJump?: () => void
}

export interface Job {
  readonly name: string
  readonly expression: string
  readonly timezone?: string
  /** Greatest random delay, to spread jobs with the same expression. */
  readonly jitterMs?: number
  readonly run: (signal: AbortSignal) => Promise<void>
}

export type RunOutcome = 'ran' | 'failed' | 'skipped'

export interface Scheduler {
  add(job: Job): void
  /** Does not stop a running job. False if no job has that name. */
  remove(name: string): boolean
  start(): void
  /** Runs a job without jitter; `skipped` if it is already running or the scheduler stops. Logs errors of the job. */
  runNow(name: string): Promise<RunOutcome>
  /** Runs a job beside its ticks, once after `delayMs`. Of several such calls for one name, the earliest run counts. */
  once(job: Pick<Job, 'name' | 'run'>, delayMs: number): void
  /** Resolves when the job is not running. */
  ended(name: string): Promise<void>
  /** Aborts running jobs and waits for them; false when some did not end within `graceMs`. */
  dispose(graceMs: number): Promise<boolean>
}

/** The jobs of one expression in one time zone, by name. */
interface CronGroup {
  readonly next: NextTick
  readonly jobs: Map<string, Job>
  nextAt: number
}

/** Runs named jobs by cron. Ticks missed during a suspend run once; those that a clock jump skipped do not. */
export function createScheduler({ clock, random, log, timezone, onJump }: SchedulerOptions): Scheduler {
  const groups = new Map<string, CronGroup>()
  const groupsOfJobs = new Map<string, CronGroup>()
  // Kept by name, so that a job that is removed and added again does not overlap itself.
  const running = new Map<string, Promise<void>>()
  const stopping = new AbortController()
  const sleep = sleepsUntil(clock, stopping.signal)
  let wake = new AbortController()
  let started = false

  /** Monotonic times of runs beside the ticks, by name of the job. */
  const planned = new Map<string, number>()

  const runJob = async ({ name, run }: Pick<Job, 'name' | 'run'>, delayMs: number): Promise<RunOutcome> => {
    if (stopping.signal.aborted) return 'skipped'
    if (running.has(name)) {
      log.debug({ job: name }, 'Tick skipped: the job still runs')
      return 'skipped'
    }
    const ended = Promise.withResolvers<void>()
    running.set(name, ended.promise)
    try {
      if (delayMs > 0) await sleep(delayMs)
      await run(stopping.signal)
      return 'ran'
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error, job: name }, 'Scheduled job failed')
      return 'failed'
    } finally {
      running.delete(name)
      ended.resolve()
    }
  }
  const once: Scheduler['once'] = (job, delayMs) => {
    const at = clock.monotonic() + delayMs
    if (stopping.signal.aborted || (planned.get(job.name) ?? Number.POSITIVE_INFINITY) <= at) return
    planned.set(job.name, at)
    const work = async () => {
      await sleep(delayMs)
      // Another one may have been planned before it.
      if (planned.get(job.name) !== at) return
      planned.delete(job.name)
      await runJob(job, 0)
    }
    // Fails only when the scheduler stops.
    void work().catch(() => {})
  }
  const find = (name: string): Job => {
    const job = groupsOfJobs.get(name)?.jobs.get(name)
    if (job !== undefined) return job
    throw new Error(`Cannot find job ${name}: the scheduler has ${[...groupsOfJobs.keys()].join(', ')}`)
  }

  const groupOf = (job: Job): CronGroup => {
    const zone = job.timezone ?? timezone
    const key = `${zone} ${job.expression}`
    const known = groups.get(key)
    if (known !== undefined) return known
    const next = cronTimes(job.expression, zone)
    const group = { next, jobs: new Map<string, Job>(), nextAt: next(clock.now()) }
    groups.set(key, group)
    return group
  }
  const launch = async (group: CronGroup): Promise<void> => {
    const turn = yieldAfter(launchedATurn)
    for (const job of [...group.jobs.values()]) {
      // The job was removed while others were launched.
      if (group.jobs.get(job.name) !== job) continue
      void runJob(job, Math.floor(random() * (job.jitterMs ?? 0)))
      await turn()
    }
  }
  const tick = (watch: ReturnType<typeof wallClockWatch>): readonly CronGroup[] => {
    for (const [key, { jobs }] of groups) if (jobs.size === 0) groups.delete(key)
    if (watch.jumped()) for (const group of groups.values()) group.nextAt = group.next(clock.now())
    const jumpedMs = watch.report()
    if (jumpedMs !== null) {
      log.warn({ jumpedSeconds: Math.round(jumpedMs / secondMs) }, 'The wall clock was set; the schedule follows it')
      onJump?.()
    }
    const now = clock.now()
    const due = [...groups.values()].filter(({ nextAt }) => nextAt <= now)
    for (const group of due) group.nextAt = group.next(clock.now())
    return due
  }
  const runTimer = async (): Promise<void> => {
    const watch = wallClockWatch(clock)
    while (!stopping.signal.aborted) {
      for (const group of tick(watch)) await launch(group)
      const nextAt = Math.min(...[...groups.values()].map((group) => group.nextAt))
      wake = new AbortController()
      await clock.sleep(Math.min(Math.max(nextAt - clock.now(), 0), maxSleepMs), wake.signal).catch(() => undefined)
    }
  }

  return {
    add(job) {
      if (groupsOfJobs.has(job.name)) throw new Error(`Cannot add job ${job.name}: the name is taken`)
      const group = groupOf(job)
      group.jobs.set(job.name, job)
      groupsOfJobs.set(job.name, group)
      wake.abort()
    },
    remove(name) {
      groupsOfJobs.get(name)?.jobs.delete(name)
      return groupsOfJobs.delete(name)
    },
    start() {
      if (started) return
      started = true
      for (const group of groups.values()) group.nextAt = group.next(clock.now())
      void runTimer()
    },
    runNow: (name) => (stopping.signal.aborted ? Promise.resolve('skipped') : runJob(find(name), 0)),
    once,
    async ended(name) {
      await running.get(name)
    },
    async dispose(graceMs) {
      groups.clear()
      groupsOfJobs.clear()
      stopping.abort(new DOMException('The scheduler is stopping', 'AbortError'))
      wake.abort()
      if (running.size === 0) return true
      const waiting = new AbortController()
      const ended = Promise.allSettled(running.values()).then(() => true)
      const late = clock.sleep(graceMs, waiting.signal).then(
        () => false,
        () => true,
      )
      const drained = await Promise.race([ended, late])
      waiting.abort()
      return drained
    },
  }
}
