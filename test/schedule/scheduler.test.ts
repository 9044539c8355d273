import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Clock } from '../../src/model/clock.ts'
import { type Log, silentLog } from '../../src/model/log.ts'
import { createScheduler, type SchedulerOptions } from '../../src/schedule/scheduler.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-14T09:00:30Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

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
  return createScheduler({ clock, random: () => 0, log: silentLog(), timezone: 'UTC', ...over })
}

/** A job body that ends when told to. */
function gated() {
  const ends: (() => void)[] = []
  const run = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)))
  return { run, end: () => ends.shift()?.() }
}

const minute = 60_000

it('runs a job at each firing of its expression once started', async () => {
  const scheduler = make()
  const run = vi.fn(async () => {})
  scheduler.add({ name: 'a', expression: '* * * * *', run })
  await vi.advanceTimersByTimeAsync(3 * minute)
  expect(run).not.toHaveBeenCalled()
  scheduler.start()
  await vi.advanceTimersByTimeAsync(3 * minute)
  expect(run).toHaveBeenCalledTimes(3)
  await scheduler.dispose(0)
})

it('reads six fields with seconds first', async () => {
  const scheduler = make()
  const run = vi.fn(async () => {})
  scheduler.add({ name: 'a', expression: '*/10 * * * * *', run })
  scheduler.start()
  await vi.advanceTimersByTimeAsync(minute)
  expect(run).toHaveBeenCalledTimes(6)
  await scheduler.dispose(0)
})

it('reads expressions in the configured time zone', async () => {
  const scheduler = make({ timezone: 'Asia/Kolkata' })
  const run = vi.fn(async () => {})
  scheduler.add({ name: 'a', expression: '31 14 * * *', run })
  scheduler.start()
  await vi.advanceTimersByTimeAsync(minute)
  expect(run).toHaveBeenCalledTimes(1)
  await scheduler.dispose(0)
})

it('skips and counts ticks while the job still runs, and runs again after it ended', async () => {
  const scheduler = make()
  const { run, end } = gated()
  scheduler.add({ name: 'a', expression: '* * * * *', run })
  scheduler.start()
  await vi.advanceTimersByTimeAsync(3 * minute)
  expect(run).toHaveBeenCalledTimes(1)
  expect(scheduler.skipped('a')).toBe(2)
  end()
  await vi.advanceTimersByTimeAsync(minute)
  expect(run).toHaveBeenCalledTimes(2)
  end()
  await scheduler.dispose(0)
})

it('does not let one job hold up another', async () => {
  const scheduler = make()
  const slow = gated()
  const quick = vi.fn(async () => {})
  scheduler.add({ name: 'slow', expression: '* * * * *', run: slow.run })
  scheduler.add({ name: 'quick', expression: '* * * * *', run: quick })
  scheduler.start()
  await vi.advanceTimersByTimeAsync(3 * minute)
  expect(quick).toHaveBeenCalledTimes(3)
  slow.end()
  await scheduler.dispose(0)
})

it('delays a tick by its share of the jitter, and runNow not at all', async () => {
  const scheduler = make({ random: () => 0.5 })
  const run = vi.fn(async () => {})
  scheduler.add({ name: 'a', expression: '* * * * *', jitterMs: 20_000, run })
  expect(await scheduler.runNow('a')).toBe('ran')
  expect(run).toHaveBeenCalledTimes(1)
  scheduler.start()
  await vi.advanceTimersByTimeAsync(39_000)
  expect(run).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(run).toHaveBeenCalledTimes(2)
  await scheduler.dispose(0)
})

it('skips runNow while the job runs', async () => {
  const scheduler = make()
  const { run, end } = gated()
  scheduler.add({ name: 'a', expression: '* * * * *', run })
  const first = scheduler.runNow('a')
  expect(await scheduler.runNow('a')).toBe('skipped')
  end()
  expect(await first).toBe('ran')
})

it('logs what a job throws and goes on', async () => {
  const errors: object[] = []
  const log: Log = { ...silentLog(), error: (fields) => void errors.push(fields) }
  const scheduler = make({ log })
  const boom = new Error('boom')
  const run = vi.fn().mockRejectedValueOnce(boom).mockResolvedValue(undefined)
  scheduler.add({ name: 'a', expression: '* * * * *', run })
  expect(await scheduler.runNow('a')).toBe('failed')
  expect(await scheduler.runNow('a')).toBe('ran')
  expect(errors).toEqual([{ err: boom, job: 'a' }])
})

it('aborts runs in flight on dispose and waits for them', async () => {
  const scheduler = make()
  const ended = vi.fn()
  const run = async (signal: AbortSignal) => {
    await clock.sleep(10 * minute, signal).catch(() => {})
    ended()
  }
  scheduler.add({ name: 'a', expression: '* * * * *', run })
  const running = scheduler.runNow('a')
  expect(await scheduler.dispose(5_000)).toBe(true)
  expect(ended).toHaveBeenCalledOnce()
  expect(await running).toBe('ran')
})

it('gives up on a run that ignores the signal when the grace is over', async () => {
  const scheduler = make()
  const { run } = gated()
  scheduler.add({ name: 'a', expression: '* * * * *', run })
  void scheduler.runNow('a')
  const disposed = scheduler.dispose(5_000)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await disposed).toBe(false)
})

it('begins a job its own delay after each tick', async () => {
  const scheduler = make({ random: () => 0.5 })
  const run = vi.fn(async () => {})
  scheduler.add({ name: 'a', expression: '* * * * *', delayMs: 20_000, jitterMs: 4_000, run })
  scheduler.start()
  await vi.advanceTimersByTimeAsync(51_000)
  expect(run).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(run).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(minute)
  expect(run).toHaveBeenCalledTimes(2)
  await scheduler.dispose(0)
})

it('fires nothing after dispose, not even a tick that waits out its jitter', async () => {
  const scheduler = make({ random: () => 0.5 })
  const run = vi.fn(async () => {})
  scheduler.add({ name: 'a', expression: '* * * * *', jitterMs: 40_000, run })
  scheduler.start()
  await vi.advanceTimersByTimeAsync(31_000)
  expect(await scheduler.dispose(1_000)).toBe(true)
  await vi.advanceTimersByTimeAsync(10 * minute)
  expect(run).not.toHaveBeenCalled()
  expect(vi.getTimerCount()).toBe(0)
})

it('takes jobs in and out while it runs', async () => {
  const scheduler = make()
  const run = vi.fn(async () => {})
  scheduler.start()
  scheduler.add({ name: 'a', expression: '* * * * *', run })
  await vi.advanceTimersByTimeAsync(minute)
  expect(scheduler.remove('a')).toBe(true)
  expect(scheduler.remove('a')).toBe(false)
  await vi.advanceTimersByTimeAsync(5 * minute)
  expect(run).toHaveBeenCalledTimes(1)
  await scheduler.dispose(0)
})

it('does not run a job beside its former self after it was taken out and put in again', async () => {
  const scheduler = make()
  const { run, end } = gated()
  const job = { name: 'a', expression: '* * * * *', run }
  scheduler.add(job)
  const first = scheduler.runNow('a')
  scheduler.remove('a')
  scheduler.add(job)
  expect(await scheduler.runNow('a')).toBe('skipped')
  end()
  expect(await first).toBe('ran')
})

it('refuses a name twice and an expression that is none', () => {
  const scheduler = make()
  scheduler.add({ name: 'a', expression: '* * * * *', run: async () => {} })
  expect(() => scheduler.add({ name: 'a', expression: '* * * * *', run: async () => {} })).toThrow('the name is taken')
  expect(() => scheduler.add({ name: 'b', expression: '61 * * * *', run: async () => {} })).toThrow()
  expect(() => scheduler.runNow('b')).toThrow('Cannot find job b')
})

it('sends what node-cron says to the log and nothing to the console', async () => {
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name))
  const notes: string[] = []
  const log: Log = { ...silentLog(), warn: (fields) => void notes.push(JSON.stringify(fields)) }
  const scheduler = make({ log })
  scheduler.add({ name: 'a', expression: '* * * * * *', run: async () => {} })
  scheduler.start()
  await vi.advanceTimersByTimeAsync(2_000)
  // The machine slept: timers come late by an hour.
  vi.setSystemTime(Date.now() + 3_600_000)
  await vi.advanceTimersByTimeAsync(2_000)
  for (const spy of spies) expect(spy).not.toHaveBeenCalled()
  expect(notes.join()).toContain('missed')
  await scheduler.dispose(0)
})

it.each([
  ['back by a day', -24 * 60 * minute],
  ['ahead by a day', 24 * 60 * minute],
])('goes on within a minute when the wall clock is set %s', async (_, jump) => {
  const warn = vi.fn()
  const scheduler = make({ log: { ...silentLog(), warn } })
  const run = vi.fn(async () => {})
  scheduler.add({ name: 'a', expression: '* * * * *', run })
  scheduler.start()
  await vi.advanceTimersByTimeAsync(2 * minute)
  run.mockClear()
  vi.setSystemTime(Date.now() + jump)
  await vi.advanceTimersByTimeAsync(5 * minute)
  expect(run.mock.calls.length).toBeGreaterThanOrEqual(4)
  expect(run.mock.calls.length).toBeLessThanOrEqual(6)
  expect(warn.mock.calls).toEqual([
    [{ jumpedSeconds: jump / 1000 }, 'The wall clock was set; the schedule is armed anew'],
  ])
  await scheduler.dispose(0)
})
