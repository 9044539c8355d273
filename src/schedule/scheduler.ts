import { type Clock, endsWithin, type Random } from '../model/clock.ts'
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

export interface NamedRun {
  readonly name: string
  readonly run: (signal: AbortSignal) => Promise<void>
}

export interface Job extends NamedRun {
  readonly expression: string
  /** Greatest random delay of a tick, to spread jobs that are due at the same time. */
  readonly jitterMs?: number
}

export type RunOutcome = 'ran' | 'failed' | 'skipped'

export type Scheduler = ReturnType<typeof createScheduler>

interface ScheduledJob {
  job: Job
  readonly next: NextTick
  /** The next tick and its delay; null before the timer has seen the job, and after a jump of the clock. */
  nextAt: number | null
}

/** Runs named jobs by cron. Ticks missed during a suspend run once; those that a clock jump skipped do not. */
export function createScheduler({ clock, random, log, onJump }: SchedulerOptions) {
  const jobs = new Map<string, ScheduledJob>()
  const ticksOf = memoize((zone: string) => memoize((cron: string) => cronTimes(cron, zone)))
  // Kept by name, so that a job that is removed and added again does not overlap itself.
  const running = new Map<string, Promise<void>>()
  const stopping = new AbortController()
  let wake = new AbortController()

  /** Runs beside the ticks, with their monotonic times, by name. */
  const planned = new Map<string, { readonly job: NamedRun; readonly at: number }>()

  const runJob = async ({ name, run }: NamedRun): Promise<RunOutcome> => {
    if (stopping.signal.aborted) return 'skipped'
    if (running.has(name)) {
      log.debug({ job: name }, 'Tick skipped: the job still runs')
      return 'skipped'
    }
    const ended = Promise.withResolvers<void>()
    running.set(name, ended.promise)
    try {
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
  /** What is due now, and how long nothing else is. */
  const tick = (
    watch: ReturnType<typeof wallClockWatch>,
  ): { readonly due: readonly NamedRun[]; readonly waitMs: number } => {
    if (watch.jumped()) for (const one of jobs.values()) one.nextAt = null
    const jumpedMs = watch.report()
    if (jumpedMs !== null) {
      log.warn({ jumpedSeconds: Math.round(jumpedMs / secondMs) }, 'The wall clock was set; the schedule follows it')
      onJump?.()
    }
    const now = clock.now()
    const elapsed = clock.monotonic()
    const due: NamedRun[] = []
    let waitMs = maxSleepMs
    for (const one of jobs.values()) {
      const { job, next, nextAt } = one
      if (nextAt !== null && nextAt <= now) due.push(job)
      if (nextAt === null || nextAt <= now) one.nextAt = next(now) + Math.floor(random() * (job.jitterMs ?? 0))
      waitMs = Math.min(waitMs, (one.nextAt ?? now) - now)
    }
    for (const [name, { job, at }] of planned) {
      if (at > elapsed) waitMs = Math.min(waitMs, at - elapsed)
      else if (planned.delete(name)) due.push(job)
    }
    return { due, waitMs }
  }
  const runTimer = async (): Promise<void> => {
    const watch = wallClockWatch(clock)
    while (!stopping.signal.aborted) {
      wake = new AbortController()
      const { due, waitMs } = tick(watch)
      const turn = yieldAfter(launchedATurn)
      for (const job of due) {
        void runJob(job)
        await turn()
      }
      await clock.sleep(waitMs, wake.signal).catch(() => undefined)
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
      return found === undefined ? 'skipped' : runJob(found.job)
    },
    /** Runs a job beside its ticks, once after `delayMs`. Of several such calls for one name, the earliest run counts. */
    once(job: NamedRun, delayMs: number): void {
      const at = clock.monotonic() + delayMs
      if ((planned.get(job.name)?.at ?? Number.POSITIVE_INFINITY) <= at) return
      planned.set(job.name, { job, at })
      wake.abort()
    },
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
