import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/model/process/system-clock.ts'

it.each([2 ** 31, 1e15, Number.POSITIVE_INFINITY])('waits for %s ms as long as a timer can', async (ms) => {
  // Node warns of a timer beyond 2^31-1 ms, which it fires at once.
  const warn = vi.spyOn(process, 'emitWarning')
  onTestFinished(() => warn.mockRestore())
  const stop = new AbortController()
  const wait = systemClock().sleep(ms, stop.signal)
  expect(await Promise.race([wait, turn('waiting')])).toBe('waiting')
  expect(warn).not.toHaveBeenCalled()
  stop.abort(new Error('enough'))
  await expect(wait).rejects.toThrow()
})
