import type { Clock, Random } from '../../../src/model/clock.ts'
import { secondMs } from '../../../src/model/durations.ts'
import type { Log } from '../../../src/model/log.ts'
import type { Job, RunOutcome, Scheduler } from '../../../src/schedule/scheduler.ts'

/** Cron counts in the system's time; here jobs run each so many seconds of virtual time: see `everySeconds`. */
export function virtualScheduler(clock: Clock, random: Random, log: Log): Scheduler {
  const jobs = new Map<string, { readonly job: Job; readonly removed: AbortController }>()
  const running = new Map<string, Promise<void>>()
  const planned = new Map<string, number>()
  const stopping = new AbortController()

  const run = async (job: Job, delayMs: number): Promise<RunOutcome> => {
    if (stopping.signal.aborted || running.has(job.name)) return 'skipped'
    const ended = Promise.withResolvers<void>()
    running.set(job.name, ended.promise)
    try {
      if (delayMs > 0) await clock.sleep(delayMs, stopping.signal)
      await job.run(stopping.signal)
      return 'ran'
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error, job: job.name }, 'Scheduled job failed')
      return 'failed'
    } finally {
      running.delete(job.name)
      ended.resolve()
    }
  }

  const repeat = async (job: Job, removed: AbortSignal): Promise<void> => {
    const everyMs = intervalOf(job.expression)
    const signal = AbortSignal.any([removed, stopping.signal])
    while (!signal.aborted) {
      await clock.sleep(everyMs - (clock.now() % everyMs), signal).catch(() => {})
      if (!signal.aborted) void run(job, Math.floor(random() * (job.jitterMs ?? 0)))
    }
  }

  return {
    add(job) {
      const removed = new AbortController()
      jobs.set(job.name, { job, removed })
      void repeat(job, removed.signal)
    },
    remove(name) {
      jobs.get(name)?.removed.abort()
      return jobs.delete(name)
    },
    start() {},
    async runNow(name) {
      const found = jobs.get(name)
      if (stopping.signal.aborted) return 'skipped'
      if (found === undefined) throw new Error(`Cannot find job ${name}`)
      return run(found.job, 0)
    },
    once(job, delayMs) {
      const at = clock.monotonic() + delayMs
      if ((planned.get(job.name) ?? Number.POSITIVE_INFINITY) <= at) return
      planned.set(job.name, at)
      const work = async () => {
        await clock.sleep(delayMs, stopping.signal)
        if (planned.get(job.name) !== at) return
        planned.delete(job.name)
        await run({ ...job, expression: '' }, 0)
      }
      void work().catch(() => {})
    },
    async ended(name) {
      await running.get(name)
    },
    async dispose(graceMs) {
      for (const { removed } of jobs.values()) removed.abort()
      jobs.clear()
      stopping.abort(new DOMException('The scheduler is stopping', 'AbortError'))
      const ended = Promise.allSettled(running.values()).then(() => true)
      return Promise.race([ended, clock.sleep(graceMs).then(() => false)])
    },
  }
}

export const everySeconds = (seconds: number) => ({
  expression: `*/${seconds} * * * * *`,
  intervalMs: seconds * secondMs,
})

function intervalOf(expression: string): number {
  return Number(/^\*\/(\d+) /.exec(expression)?.[1]) * secondMs
}
