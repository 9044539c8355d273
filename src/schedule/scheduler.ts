import { type Clock, endsWithin, type Random, sleepsUntil } from '../model/clock.ts'
import { yieldAfter } from '../model/in-turns.ts'
import type { Log } from '../model/log.ts'
import { memoize } from '../model/memoize.ts'
import { minuteMs, secondMs } from '../model/time.ts'
import { cronTimes, type NextTick } from './cron-times.ts'

/** Least change that counts as a jump: more than slewing changes between two checks. */
const jumpMs = 2 * secondMs

/** Reports at most once a minute, so that a clock set repeatedly does not flood the log or the tenants. */
function wallClockWatch(clock: Clock) {
  const offset = () => clock.now() - clock.monotonic()
  let known = offset()
  let unreported: number | null = null
  let reportAfter = Number.NEGATIVE_INFINITY
  return {
    jumped(): boolean {
      const by = offset() - known
      known += by
      if (Math.abs(by) < jumpMs) return false
      unreported = (unreported ?? 0) + by
      return true
    },
    /** Total unreported change in milliseconds, negative = set back; null if there is none. */
    report(): number | null {
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

/** Most jobs that are launched in one turn of the event loop. */
const launchedATurn = 500

export interface SchedulerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly onJump?: () => void
}

export interface Job {
  readonly name: string
  readonly expression: string
  /** Greatest random delay, to spread jobs that are due at the same time. */
  readonly jitterMs?: number
  readonly run: (signal: AbortSignal) => Promise<void>
}

export type RunOutcome = 'ran' | 'failed' | 'skipped'

export type Scheduler = ReturnType<typeof createScheduler>

interface ScheduledJob {
  job: Job
  readonly next: NextTick
  /** Null before the timer has seen the job, and after a jump of the clock. */
  nextAt: number | null
}

/** Thousands of jobs with one expression ask for the same instant at once. */
function withLastAnswer(next: NextTick): NextTick {
  let last = { after: Number.NaN, at: Number.NaN }
  return (after) => {
    if (after !== last.after) last = { after, at: next(after) }
    return last.at
  }
}

/** Runs named jobs by cron. Ticks missed during a suspend run once; those that a clock jump skipped do not. */
export function createScheduler({ clock, random, log, onJump }: SchedulerOptions) {
  const jobs = new Map<string, ScheduledJob>()
  const ticksOf = memoize((zone: string) => memoize((cron: string) => withLastAnswer(cronTimes(cron, zone))))
  // Kept by name, so that a job that is removed and added again does not overlap itself.
  const running = new Map<string, Promise<void>>()
  const stopping = new AbortController()
  const sleep = sleepsUntil(clock, stopping.signal)
  let wake = new AbortController()

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
  /** Runs a job beside its ticks, once after `delayMs`. Of several such calls for one name, the earliest run counts. */
  const once = (job: Pick<Job, 'name' | 'run'>, delayMs: number): void => {
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
  const launch = async (due: readonly ScheduledJob[]): Promise<void> => {
    const turn = yieldAfter(launchedATurn)
    for (const one of due) {
      const { job } = one
      // The job was removed while others were launched.
      if (jobs.get(job.name) !== one) continue
      void runJob(job, Math.floor(random() * (job.jitterMs ?? 0)))
      await turn()
    }
  }
  /** The jobs that are due now, and when the next ones are. */
  const tick = (
    watch: ReturnType<typeof wallClockWatch>,
  ): { readonly due: readonly ScheduledJob[]; readonly nextAt: number } => {
    if (watch.jumped()) for (const one of jobs.values()) one.nextAt = null
    const jumpedMs = watch.report()
    if (jumpedMs !== null) {
      log.warn({ jumpedSeconds: Math.round(jumpedMs / secondMs) }, 'The wall clock was set; the schedule follows it')
      onJump?.()
    }
    const now = clock.now()
    const due: ScheduledJob[] = []
    let nextAt = Number.POSITIVE_INFINITY
    for (const one of jobs.values()) {
      if (one.nextAt !== null && one.nextAt <= now) due.push(one)
      if (one.nextAt === null || one.nextAt <= now) one.nextAt = one.next(now)
      nextAt = Math.min(nextAt, one.nextAt)
    }
    return { due, nextAt }
  }
  const runTimer = async (): Promise<void> => {
    const watch = wallClockWatch(clock)
    while (!stopping.signal.aborted) {
      wake = new AbortController()
      const { due, nextAt } = tick(watch)
      await launch(due)
      await clock.sleep(Math.min(Math.max(nextAt - clock.now(), 0), maxSleepMs), wake.signal).catch(() => undefined)
    }
  }

  return {
    /** Puts these jobs in place of the present ones; runs that have begun go on. */
    arrange(wanted: readonly Job[], timezone: string): void {
      const before = new Map(jobs)
      jobs.clear()
      for (const job of wanted) {
        const next = ticksOf(timezone)(job.expression)
        const known = before.get(job.name)
        jobs.set(job.name, known?.next === next ? Object.assign(known, { job }) : { job, next, nextAt: null })
      }
      wake.abort()
    },
    has: (name: string) => jobs.has(name),
    start: () => void runTimer(),
    /** Runs a job without jitter; `skipped` if it is already running or the scheduler stops. Logs errors of the job. */
    async runNow(name: string): Promise<RunOutcome> {
      const found = jobs.get(name)
      if (found === undefined && !stopping.signal.aborted)
        throw new Error(`Cannot run job ${name}: it is not scheduled`)
      return found === undefined ? 'skipped' : runJob(found.job, 0)
    },
    once,
    /** Resolves when the job is not running. */
    async ended(name: string): Promise<void> {
      await running.get(name)
    },
    /** Aborts running jobs and waits for them; false when some did not end within `graceMs`. */
    async dispose(graceMs: number): Promise<boolean> {
      jobs.clear()
      stopping.abort(new DOMException('The scheduler is stopping', 'AbortError'))
      wake.abort()
      return endsWithin(clock, Promise.all(running.values()), graceMs)
    },
  }
}
