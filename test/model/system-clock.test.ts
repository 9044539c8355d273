import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/model/process/system-clock.ts'
import { timerOverflows } from '../support/timer-overflows.ts'

it.each([2 ** 31, 1e15, Number.POSITIVE_INFINITY])('waits for %s ms as long as a timer can', async (ms) => {
  const overflows = timerOverflows()
  const stop = new AbortController()
  let ended = false
  const wait = systemClock()
    .sleep(ms, stop.signal)
    .finally(() => {
      ended = true
    })
  await turn()
  expect([overflows, ended]).toEqual([[], false])
  stop.abort(new Error('enough'))
  await expect(wait).rejects.toThrow()
})

it.each([0, -5, Number.NaN, Number.NEGATIVE_INFINITY])('does not wait for %s ms', async (ms) => {
  const overflows = timerOverflows()
  await systemClock().sleep(ms)
  await turn()
  expect(overflows).toEqual([])
})
