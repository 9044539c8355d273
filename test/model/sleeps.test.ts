import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { sleepsUntil } from '../../src/model/clock.ts'
import { fakeClock } from '../support/fake-clock.ts'

it('ends any number of sleeps by one listener of the signal', async () => {
  const stopping = new AbortController()
  const clock = fakeClock()
  clock.hold()
  const sleep = sleepsUntil(clock, stopping.signal)
  const sleeps = Promise.allSettled(Array.from({ length: 500 }, () => sleep(1000)))
  expect(getEventListeners(stopping.signal, 'abort')).toHaveLength(1)
  stopping.abort(new Error('stopped'))
  const reasons = (await sleeps).map((one) => one.status === 'rejected' && String(one.reason))
  expect(new Set(reasons)).toEqual(new Set(['Error: stopped']))
  await expect(sleep(1000)).rejects.toThrow('stopped')
})

it('sleeps as long as it is told', async () => {
  const clock = fakeClock()
  await sleepsUntil(clock, new AbortController().signal)(1000)
  expect(clock.monotonic()).toBe(1000)
})
