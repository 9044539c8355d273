import { expect, it } from 'vitest'
import { runToEnd } from '../../src/daemon/run-to-end.ts'
import { minuteMs } from '../../src/model/durations.ts'
import { fakeClock } from '../support/fake-clock.ts'

/** Makes runs that bring these pages; each but the last of them is ended by a wait of a minute. */
async function follow(...pages: readonly number[]) {
  const clock = fakeClock()
  const begun: number[] = []
  let blockedUntil = 0
  const work = {
    async run() {
      const brought = pages[begun.push(clock.now()) - 1] ?? 0
      const limited = begun.length < pages.length
      blockedUntil = limited ? clock.now() + minuteMs : 0
      return { pages: brought, retryAt: limited ? blockedUntil : null }
    },
    blockedUntil: () => blockedUntil,
  }
  await runToEnd(work, clock, new AbortController().signal)
  return { runs: begun.length, sleeps: clock.sleeps }
}

it('goes on after every wait as long as each run brings pages', async () => {
  expect(await follow(3, 1, 2, 5)).toEqual({ runs: 4, sleeps: [minuteMs, minuteMs, minuteMs] })
})

it('goes on after a first run that brought nothing, and leaves a second such one to the next tick', async () => {
  expect(await follow(0, 4)).toEqual({ runs: 2, sleeps: [minuteMs] })
  expect(await follow(0, 0, 7)).toEqual({ runs: 2, sleeps: [minuteMs] })
})

it('runs once where no wait was stated', async () => {
  expect(await follow(0)).toEqual({ runs: 1, sleeps: [] })
})

it('waits no longer than its signal allows', async () => {
  const stop = new AbortController()
  const clock = fakeClock()
  clock.hold()
  const work = { run: async () => ({ pages: 1, retryAt: clock.now() + minuteMs }), blockedUntil: () => minuteMs }
  const ended = runToEnd(work, clock, stop.signal)
  stop.abort(new Error('stopping'))
  await expect(ended).rejects.toThrow('stopping')
})
