import type { Clock, Random } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'
import type { Log } from '../model/log.ts'
import { type CronTimes, cronTimes } from './cron-times.ts'
import { wallClockWatch } from './wall-clock-watch.ts'

/** Greatest time between two looks at the clocks, so that a jump of the wall clock is noticed soon. */
const lookEveryMs = 5 * secondMs

export interface SchedulerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** IANA name that cron expressions are read in, unless a job names another. */
  readonly timezone: string
  /** Called when the wall clock was set, at most once a minute: what fell due by it is not made up for here. */
  readonly onJump?: () => void
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
  readonly rhythm: Rhythm
  skipped: number
}

/** All jobs of one expression and time zone: a fleet has thousands of jobs and a handful of these. */
interface Rhythm {
  readonly key: string
  readonly times: CronTimes
  readonly entries: Set<Entry>
  /** Wall time of the next tick. */
  nextAt: number
}

/**
 * Repeats named work by cron expressions: a job never overlaps itself, a tick that finds it running is skipped. One timer
 * serves all jobs. Only the next tick of an expression is ever computed: after a sleep of the machine a missed tick comes
 * once, after a jump of the wall clock the ticks in between do not come at all.
 */
export function createScheduler({ clock, random, log, timezone, onJump }: SchedulerOptions): Scheduler {
  const entries = new Map<string, Entry>()
  const rhythms = new Map<string, Rhythm>()
  // By name, so that a job taken out and put in again does not overlap its former self.
  const running = new Map<string, Promise<void>>()
  const stopping = new AbortController()
  /** Ends the sleep of the one timer, which was armed before another tick came to be the next. */
  let wake = new AbortController()
  let started = false

  const runJob = async (entry: Entry, delayMs: number): Promise<RunOutcome> => {
    const { name, run } = entry.job
    if (stopping.signal.aborted) return 'skipped'
    if (running.has(name)) {
      entry.skipped += 1
      log.debug({ job: name, skipped: entry.skipped }, 'Tick skipped: the job still runs')
      return 'skipped'
    }
    const ended = Promise.withResolvers<void>()
    running.set(name, ended.promise)
    try {
      if (delayMs > 0) await clock.sleep(delayMs, stopping.signal)
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
  const find = (name: string): Entry => {
    const entry = entries.get(name)
    if (entry === undefined)
      throw new Error(`Cannot find job ${name}: the scheduler has ${[...entries.keys()].join(', ')}`)
    return entry
  }

  const nextAfterNow = (times: CronTimes): number => {
    const at = times.next()
    // Where this clock is not the system's, a tick a second is the most.
    return at > clock.now() ? at : clock.now() + secondMs
  }
  const rhythmOf = (job: Job): Rhythm => {
    const zone = job.timezone ?? timezone
    const key = `${zone} ${job.expression}`
    const known = rhythms.get(key)
    if (known !== undefined) return known
    const times = cronTimes(job.expression, zone)
    const rhythm = { key, times, entries: new Set<Entry>(), nextAt: nextAfterNow(times) }
    rhythms.set(key, rhythm)
    return rhythm
  }
  const tick = (rhythm: Rhythm): void => {
    rhythm.nextAt = nextAfterNow(rhythm.times)
    for (const entry of rhythm.entries) {
      const { delayMs = 0, jitterMs = 0 } = entry.job
      void runJob(entry, delayMs + Math.floor(random() * jitterMs))
    }
  }
  const lookAt = (watch: ReturnType<typeof wallClockWatch>): void => {
    if (watch.jumped()) for (const rhythm of rhythms.values()) rhythm.nextAt = nextAfterNow(rhythm.times)
    const jumpedMs = watch.report()
    if (jumpedMs !== null) {
      log.warn({ jumpedSeconds: Math.round(jumpedMs / secondMs) }, 'The wall clock was set; the schedule follows it')
      onJump?.()
    }
    const now = clock.now()
    for (const rhythm of rhythms.values()) if (rhythm.nextAt <= now) tick(rhythm)
  }
  const keepTime = async (): Promise<void> => {
    const watch = wallClockWatch(clock)
    while (!stopping.signal.aborted) {
      lookAt(watch)
      const nextAt = Math.min(...[...rhythms.values()].map((rhythm) => rhythm.nextAt))
      wake = new AbortController()
      await clock.sleep(Math.min(Math.max(nextAt - clock.now(), 0), lookEveryMs), wake.signal).catch(() => undefined)
    }
  }

  return {
    add(job) {
      if (entries.has(job.name)) throw new Error(`Cannot add job ${job.name}: the name is taken`)
      const rhythm = rhythmOf(job)
      const entry = { job, rhythm, skipped: 0 }
      rhythm.entries.add(entry)
      entries.set(job.name, entry)
      wake.abort()
    },
    remove(name) {
      const entry = entries.get(name)
      if (entry === undefined) return false
      entries.delete(name)
      const { rhythm } = entry
      rhythm.entries.delete(entry)
      if (rhythm.entries.size > 0) return true
      rhythms.delete(rhythm.key)
      rhythm.times.dispose()
      return true
    },
    start() {
      if (started) return
      started = true
      for (const rhythm of rhythms.values()) rhythm.nextAt = nextAfterNow(rhythm.times)
      void keepTime()
    },
    runNow: (name) => runJob(find(name), 0),
    skipped: (name) => find(name).skipped,
    async dispose(graceMs) {
      for (const { times } of rhythms.values()) times.dispose()
      rhythms.clear()
      entries.clear()
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
