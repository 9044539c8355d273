import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/model/process/system-clock.ts'

/**
 * Warnings of Node, a turn later, about timers beyond 2^31-1 ms, which it fires at once: a list that grows until the test
 * ends.
 */
function timerOverflows(): readonly string[] {
  const seen: string[] = []
  const note = ({ name, message }: Error) => void (name === 'TimeoutOverflowWarning' && seen.push(message))
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  return seen
}

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
