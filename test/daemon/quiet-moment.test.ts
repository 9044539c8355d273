import { expect, it } from 'vitest'
import { quietMoment } from '../../src/daemon/idle-memory.ts'

const never = new AbortController().signal

function watched(shares: readonly number[]) {
  let waited = 0
  const sleep = async (ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted()
    waited += ms
  }
  return { clock: { sleep }, seconds: () => waited / 1000, busy: () => shares[waited / 1000] ?? 1 }
}

it('waits for a second with next to nothing to do, whatever was before', async () => {
  const { clock, busy, seconds } = watched([0, 0.9, 0.11, 0.1])
  expect(await quietMoment(clock, never, busy)).toBe(true)
  expect(seconds()).toBe(3)
})

it('gives up after a minute in which there was always something to do', async () => {
  const { clock, busy, seconds } = watched([0])
  expect(await quietMoment(clock, never, busy)).toBe(false)
  expect(seconds()).toBe(60)
})

it('waits no longer than it is wanted', async () => {
  const { clock, busy } = watched([0])
  await expect(quietMoment(clock, AbortSignal.abort(new Error('stopping')), busy)).rejects.toThrow('stopping')
})
