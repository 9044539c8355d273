import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { Clock } from '../../src/model/clock.ts'
import { type Log, silentLog } from '../../src/model/log.ts'
import { createScheduler, type Job, type SchedulerOptions } from '../../src/schedule/scheduler.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-14T09:00:30Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

const minute = 60_000
const expression = '* * * * *'

/** A clock on the faked global timers. */
const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    }),
}

function make(over: Partial<SchedulerOptions> = {}) {
  return createScheduler({ clock, random: () => 0, log: silentLog(), ...over })
}

/** A scheduler with one job, of each minute; it ends with the test. */
function arranged(run: Job['run'], over: Partial<SchedulerOptions> = {}, jitterMs = 0) {
  const scheduler = make(over)
  scheduler.arrange([{ name: 'a', expression, jitterMs, run }], 'UTC')
  onTestFinished(() => void scheduler.dispose(0))
  return scheduler
}

/** A job body that ends when the test releases it. */
function pausable() {
  const ends: (() => void)[] = []
  const run = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)))
  return { run, end: () => ends.shift()?.() }
}

it('runs a job at each firing of its expression once started', async () => {
  const run = vi.fn(async () => {})
  const scheduler = arranged(run)
  await vi.advanceTimersByTimeAsync(3 * minute)
  expect(run).not.toHaveBeenCalled()
  scheduler.start()
  await vi.advanceTimersByTimeAsync(3 * minute)
  expect(run).toHaveBeenCalledTimes(3)
})

it('skips ticks while the job still runs, and runs again after it ended, while others go on', async () => {
  const { run, end } = pausable()
  const quick = vi.fn(async () => {})
  const scheduler = arranged(run)
  scheduler.start()
  const jobs = [run, quick].map((body, i) => ({ name: i === 0 ? 'a' : 'quick', expression, run: body }))
  scheduler.arrange(jobs, 'UTC')
  await vi.advanceTimersByTimeAsync(3 * minute)
  expect([run.mock.calls.length, quick.mock.calls.length]).toEqual([1, 3])
  end()
  await vi.advanceTimersByTimeAsync(minute)
  expect(run).toHaveBeenCalledTimes(2)
  end()
})

it('delays a tick by a random share of the jitter, but not runNow, which runs meanwhile', async () => {
  const run = vi.fn(async () => {})
  const scheduler = arranged(run, { random: () => 0.5 }, 20_000)
  scheduler.start()
  await vi.advanceTimersByTimeAsync(39_000)
  expect(run).not.toHaveBeenCalled()
  expect(await scheduler.runNow('a')).toBe('ran')
  expect(run).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(run).toHaveBeenCalledTimes(2)
})

it('skips runNow while the job runs', async () => {
  const { run, end } = pausable()
  const scheduler = arranged(run)
  const first = scheduler.runNow('a')
  expect(await scheduler.runNow('a')).toBe('skipped')
  let hasEnded = false
  const ended = scheduler.ended('a').then(() => {
    hasEnded = true
  })
  await Promise.resolve()
  expect(hasEnded).toBe(false)
  end()
  expect(await first).toBe('ran')
  await ended
  await scheduler.ended('a')
})

it('logs errors of a job and continues', async () => {
  const errors: object[] = []
  const log: Log = { ...silentLog(), error: (fields) => void errors.push(fields) }
  const boom = new Error('boom')
  const scheduler = arranged(vi.fn().mockRejectedValueOnce(boom).mockResolvedValue(undefined), { log })
  expect(await scheduler.runNow('a')).toBe('failed')
  expect(await scheduler.runNow('a')).toBe('ran')
  expect(errors).toEqual([{ err: boom, job: 'a' }])
})

it('aborts runs in flight on dispose and waits for them', async () => {
  const ended = vi.fn()
  const scheduler = arranged((signal) =>
    clock
      .sleep(10 * minute, signal)
      .catch(() => {})
      .then(ended),
  )
  const running = scheduler.runNow('a')
  expect(await scheduler.dispose(5_000)).toBe(true)
  expect(ended).toHaveBeenCalledOnce()
  expect(await running).toBe('ran')
})

it('stops waiting for a run that ignores the signal after the grace period', async () => {
  const scheduler = arranged(pausable().run)
  void scheduler.runNow('a')
  const disposed = scheduler.dispose(5_000)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await disposed).toBe(false)
})

it('runs nothing after dispose, not even a tick that waits for its jitter', async () => {
  const run = vi.fn(async () => {})
  const scheduler = arranged(run, { random: () => 0.5 }, 40_000)
  scheduler.start()
  await vi.advanceTimersByTimeAsync(31_000)
  expect(await scheduler.dispose(1_000)).toBe(true)
  await vi.advanceTimersByTimeAsync(10 * minute)
  expect(await scheduler.runNow('a')).toBe('skipped')
  expect(run).not.toHaveBeenCalled()
  expect(vi.getTimerCount()).toBe(0)
})

it('runs a tick missed during suspend once, and writes nothing to the console', async () => {
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name))
  let asleepMs = 0
  // Both clocks advance while no timer fires, as after SIGSTOP.
  const slept: Clock = { ...clock, monotonic: () => performance.now() + asleepMs }
  const warn = vi.fn()
  const run = vi.fn(async () => {})
  arranged(run, { clock: slept, log: { ...silentLog(), warn } }).start()
  asleepMs = 60 * minute
  vi.setSystemTime(Date.now() + asleepMs)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(run).toHaveBeenCalledTimes(1)
  expect(warn).not.toHaveBeenCalled()
  for (const spy of spies) expect(spy).not.toHaveBeenCalled()
})

const hour = 60 * minute
const day = 24 * hour

it.each([
  ['back by a day', -day],
  ['ahead by a day', day],
])('continues within a minute when the wall clock is set %s, and runs no tick in between', async (_, jump) => {
  const warn = vi.fn()
  const onJump = vi.fn()
  const often = vi.fn(async () => {})
  const run = vi.fn(async () => {})
  const scheduler = arranged(run, { log: { ...silentLog(), warn }, onJump })
  const jobs = [
    { name: 'a', expression, run },
    { name: 'b', expression: '* * * * * *', run: often },
  ]
  scheduler.arrange(jobs, 'UTC')
  scheduler.start()
  await vi.advanceTimersByTimeAsync(2 * minute)
  run.mockClear()
  often.mockClear()
  vi.setSystemTime(Date.now() + jump)
  await vi.advanceTimersByTimeAsync(5 * minute)
  expect(run.mock.calls.length).toBeGreaterThanOrEqual(4)
  expect(run.mock.calls.length).toBeLessThanOrEqual(6)
  expect(often.mock.calls.length).toBeGreaterThanOrEqual(290)
  expect(often.mock.calls.length).toBeLessThanOrEqual(301)
  expect(warn.mock.calls).toEqual([[{ jumpedSeconds: jump / 1000 }, 'The wall clock was set; the schedule follows it']])
  expect(onJump).toHaveBeenCalledOnce()
})

it('runs a job once beside its ticks: at the earliest time of several, and not while it runs', async () => {
  const scheduler = make()
  scheduler.start()
  const { run, end } = pausable()
  scheduler.once({ name: 'a', run }, 3 * minute)
  scheduler.once({ name: 'a', run }, minute)
  scheduler.once({ name: 'a', run }, 2 * minute)
  await vi.advanceTimersByTimeAsync(minute)
  expect(run).toHaveBeenCalledTimes(1)
  scheduler.once({ name: 'a', run }, minute)
  await vi.advanceTimersByTimeAsync(3 * minute)
  expect(run).toHaveBeenCalledTimes(1)
  end()
  scheduler.once({ name: 'a', run }, minute)
  await scheduler.dispose(0)
  await vi.advanceTimersByTimeAsync(3 * minute)
  expect(run).toHaveBeenCalledTimes(1)
})
