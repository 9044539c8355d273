import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import type { Clock } from '../../src/model/clock.ts'
import { silentLog } from '../../src/model/log.ts'
import { systemClock } from '../../src/model/process/system-clock.ts'
import { createScheduler } from '../../src/schedule/scheduler.ts'
import { timerOverflows } from '../support/timer-overflows.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function make(clock: Clock = systemClock()) {
  return createScheduler({ clock, random: () => 0.999, log: silentLog(), timezone: 'UTC' })
}

it('long jitters and grace periods do not fire immediately', async () => {
  const overflows = timerOverflows()
  vi.useFakeTimers({ now: Date.parse('2026-03-14T09:00:30Z') })
  const scheduler = make()
  const run = vi.fn(async () => {})
  const stuck = vi.fn(() => new Promise<void>(() => {}))
  scheduler.add({ name: 'late', expression: '* * * * *', jitterMs: 1e15, run })
  scheduler.add({ name: 'stuck', expression: '* * * * *', run: stuck })
  scheduler.start()
  await vi.advanceTimersByTimeAsync(31_000)
  vi.useRealTimers()
  void scheduler.runNow('stuck')
  let drained = false
  void scheduler.dispose(1e15).then(() => {
    drained = true
  })
  await turn()
  expect([overflows, drained, run.mock.calls.length]).toEqual([[], false, 0])
})
