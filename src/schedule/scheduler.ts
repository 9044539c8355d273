import { createTask, type ScheduledTask } from 'node-cron'
import type { Clock, Random } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'
import type { Log } from '../model/log.ts'
import { cronLogger } from './cron-logger.ts'
import { watchWallClock } from './watch-wall-clock.ts'

export interface SchedulerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** IANA name that cron expressions are read in, unless a job names another. */
  readonly timezone: string
}

export interface Job {
  readonly name: string
  /** Five fields, or six with seconds first. */
  readonly expression: string
  readonly timezone?: string
  /** How long after each tick it begins, in milliseconds; none when absent. */
  readonly delayMs?: number
  /** Greatest further delay of a tick, drawn anew each time, so that many jobs of one minute do not start together. */
  readonly jitterMs?: number
  /** Must end soon after the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

export type RunOutcome = 'ran' | 'failed' | 'skipped'

export interface Scheduler {
  /** Adds a job; after `start` it begins at once. Throws when the name is taken or the expression is none. */
  add(job: Job): void
  /** Takes a job out; a run in flight goes on to its end. False when there is none of that name. */
  remove(name: string): boolean
  start(): void
  /** Runs a job now, without jitter; `skipped` when it runs already. A job's own error is logged, never thrown. */
  runNow(name: string): Promise<RunOutcome>
  /** How many times a job was due while it still ran. */
  skipped(name: string): number
  /** Stops all ticks, aborts the runs in flight and waits for them. False when some had not ended in `graceMs`. */
  dispose(graceMs: number): Promise<boolean>
}

interface Entry {
  readonly job: Job
  readonly task: ScheduledTask
  skipped: number
}

/** Repeats named work by cron expressions: a job never overlaps itself, a tick that finds it running is skipped. */
export function createScheduler({ clock, random, log, timezone }: SchedulerOptions): Scheduler {
  const entries = new Map<string, Entry>()
  // By name, so that a job taken out and put in again does not overlap its former self.
  const running = new Map<string, Promise<RunOutcome>>()
  const stopping = new AbortController()
  let started = false

  const work = async ({ job }: Entry, delayMs: number): Promise<RunOutcome> => {
    try {
      if (delayMs > 0) await clock.sleep(delayMs, stopping.signal)
      await job.run(stopping.signal)
      return 'ran'
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error, job: job.name }, 'Scheduled job failed')
      return 'failed'
    }
  }
  const launch = (entry: Entry, delayMs: number): Promise<RunOutcome> => {
    if (stopping.signal.aborted) return Promise.resolve('skipped')
    if (running.has(entry.job.name)) {
      entry.skipped += 1
      log.debug({ job: entry.job.name, skipped: entry.skipped }, 'Tick skipped: the job still runs')
      return Promise.resolve('skipped')
    }
    const run = work(entry, delayMs).finally(() => running.delete(entry.job.name))
    running.set(entry.job.name, run)
    return run
  }
  const find = (name: string): Entry => {
    const entry = entries.get(name)
    if (entry === undefined)
      throw new Error(`Cannot find job ${name}: the scheduler has ${[...entries.keys()].join(', ')}`)
    return entry
  }

  const rearm = (jumpedMs: number): void => {
    log.warn({ jumpedSeconds: Math.round(jumpedMs / secondMs) }, 'The wall clock was set; the schedule is armed anew')
    for (const { task } of entries.values()) {
      void task.stop()
      void task.start()
    }
  }

  return {
    add(job) {
      if (entries.has(job.name)) throw new Error(`Cannot add job ${job.name}: the name is taken`)
      const at = job.timezone === undefined ? {} : { timezone: job.timezone }
      // Not awaited by node-cron: its own idea of overlap must not stand beside the one here.
      const delay = () => (job.delayMs ?? 0) + Math.floor(random() * (job.jitterMs ?? 0))
      const tick = () => void launch(find(job.name), delay())
      const task = createTask(job.expression, tick, { name: job.name, timezone, ...at, logger: cronLogger(log) })
      entries.set(job.name, { job, task, skipped: 0 })
      if (started) void task.start()
    },
    remove(name) {
      const entry = entries.get(name)
      if (entry === undefined) return false
      entries.delete(name)
      void entry.task.destroy()
      return true
    },
    start() {
      if (started) return
      started = true
      for (const { task } of entries.values()) void task.start()
      void watchWallClock(clock, rearm, stopping.signal)
    },
    runNow: (name) => launch(find(name), 0),
    skipped: (name) => find(name).skipped,
    async dispose(graceMs) {
      for (const { task } of entries.values()) void task.destroy()
      entries.clear()
      stopping.abort(new DOMException('The scheduler is stopping', 'AbortError'))
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
