import { expect, it } from 'vitest'
import type { TenantClient } from '../../src/api/reader.ts'
import { resumeAfterWait } from '../../src/daemon/jobs.ts'
import type { Session } from '../../src/daemon/session.ts'
import type { TenantParts } from '../../src/daemon/tenant-parts.ts'
import { dayMs, minuteMs } from '../../src/model/durations.ts'
import { type FakeClock, fakeClock } from '../support/fake-clock.ts'

type Ended = { readonly pages: number; readonly retryAt: number | null }

/** Runs that end so, against a tenant that wants nothing sent until `blockedUntil` by a clock that is right. */
function resumed(runs: () => Promise<Ended>, blockedUntil: () => number, clock: FakeClock, signal: AbortSignal) {
  const syncAndEvaluate = async () => ({ ...(await runs()), validUntil: null })
  const session = { syncAndEvaluate } as unknown as Session
  const client = { waitMs: () => Math.max(0, blockedUntil() - clock.now()) } as Pick<TenantClient, 'waitMs'>
  return resumeAfterWait(session, { client } as TenantParts, { resource: 'users', mode: 'full', signal }, clock)
}

/** Makes runs that bring these pages; each but the last of them is ended by a wait of a minute. */
async function follow(...pages: readonly number[]) {
  const clock = fakeClock()
  const begun: number[] = []
  let blockedUntil = 0
  const run = async () => {
    const brought = pages[begun.push(clock.now()) - 1] ?? 0
    const limited = begun.length < pages.length
    blockedUntil = limited ? clock.now() + minuteMs : 0
    return { pages: brought, retryAt: limited ? blockedUntil : null }
  }
  await resumed(run, () => blockedUntil, clock, new AbortController().signal)
  return { runs: begun.length, sleeps: clock.sleeps }
}

it('continues after every wait as long as each run reads pages', async () => {
  expect(await follow(3, 1, 2, 5)).toEqual({ runs: 4, sleeps: [minuteMs, minuteMs, minuteMs] })
})

it('continues after a first run without pages, and leaves a second such one to the next tick', async () => {
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
  const run = async () => ({ pages: 1, retryAt: clock.now() + minuteMs })
  const ended = resumed(run, () => minuteMs, clock, stop.signal)
  stop.abort(new Error('stopping'))
  await expect(ended).rejects.toThrow('stopping')
})

it('waits as long as the client says, whatever the wall clock that the end of the wait was stated by', async () => {
  const clock = fakeClock()
  let runs = 0
  const run = async () => ({ pages: 1, retryAt: runs++ === 0 ? clock.now() + 365 * dayMs : null })
  await resumed(run, () => clock.now() + minuteMs, clock, new AbortController().signal)
  expect([runs, clock.sleeps]).toEqual([2, [minuteMs]])
})
