import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startDeadline } from '../../../src/api/deadline.ts'
import { timerOverflows } from '../../support/timer-overflows.ts'

it.each([2 ** 31, 2 ** 45])('does not end a request with a deadline of %d ms at once', async (ms) => {
  const overflows = timerOverflows()
  using deadline = startDeadline(ms)
  await turn()
  await turn()
  expect([deadline.expired, deadline.signal.aborted, overflows]).toEqual([false, false, []])
})
