import { expect, it } from 'vitest'
import { RateLimiter, type RateLimiterOptions } from '../../../src/api/limits/rate-limiter.ts'
import { dayMs, hourMs, secondMs } from '../../../src/model/durations.ts'
import { caught } from '../support/caught.ts'
import { type FakeClock, fakeClock } from '../support/fake-clock.ts'

/** A rate limiter and its stored state; `again` is the limiter of the next process. */
function setUp({ clock = fakeClock(), ...options }: Partial<RateLimiterOptions> & { readonly clock?: FakeClock } = {}) {
  const stored: number[] = []
  const storeWait = async (until: number) => {
    stored.push(until)
    return true
  }
  const rateLimiter = new RateLimiter({ clock, requestsPerSecond: 0, blockedUntil: 0, storeWait, ...options })
  const again = () => new RateLimiter({ clock, requestsPerSecond: 0, blockedUntil: stored.at(-1) ?? 0, storeWait })
  return { clock, rateLimiter, stored, again }
}

it.each([-dayMs, dayMs])(
  'a wall clock set by %i ms in mid wait is made good in what the next process reads',
  async (jump) => {
    const { clock, rateLimiter, again } = setUp()
    await rateLimiter.blockFor(600 * secondMs)
    clock.jump(jump)
    await caught(rateLimiter.pass())
    clock.advance(100 * secondMs)
    expect(again().blockedUntil).toBe(clock.now() + 500 * secondMs)
  },
)

it('a stored wait lasts no longer than its remaining time, whatever clock it was stored by', async () => {
  const clock = fakeClock()
  const { rateLimiter, stored } = setUp({ clock, blockedUntil: clock.now() + dayMs, blockedForMs: hourMs })
  expect(rateLimiter.blockedUntil).toBe(clock.now() + hourMs)
  expect((await caught(rateLimiter.pass())).retryAt).toBe(clock.now() + hourMs)
  expect(stored).toEqual([clock.now() + hourMs])
  clock.advance(hourMs)
  await rateLimiter.pass()
})

it('a stored wait is cleared once it has passed, so that a clock set back cannot revive it', async () => {
  const { clock, rateLimiter, stored, again } = setUp()
  await rateLimiter.blockFor(60 * secondMs)
  clock.advance(60 * secondMs)
  await rateLimiter.pass()
  expect(stored.at(-1)).toBe(0)
  clock.jump(-dayMs)
  expect(again().blockedUntil).toBe(0)
})

it('a wait that could not be stored holds all the same, and is stored as soon as it can be', async () => {
  const tried: number[] = []
  const { rateLimiter, clock } = setUp({ storeWait: async (until) => tried.push(until) > 1 })
  await rateLimiter.blockFor(hourMs)
  expect(tried).toHaveLength(1)
  expect(await caught(rateLimiter.pass())).toMatchObject({ reason: 'rate_limited' })
  await caught(rateLimiter.pass())
  expect(tried).toEqual([clock.now() + hourMs, clock.now() + hourMs])
})

it('those who waited together start no faster than the rate allows', async () => {
  const { clock, rateLimiter } = setUp({ requestsPerSecond: 2 })
  await rateLimiter.blockFor(10 * secondMs)
  const starts: number[] = []
  for (let i = 0; i < 5; i++) {
    await rateLimiter.pass()
    starts.push(clock.monotonic())
  }
  expect(starts).toEqual([10_000, 10_000, 11_000, 11_000, 12_000])
})

it('a wait that an endpoint states again while others succeed counts for that endpoint only', async () => {
  const { clock, rateLimiter, stored } = setUp()
  await rateLimiter.blockFor(hourMs, '/documents')
  expect(await caught(rateLimiter.pass(undefined, '/users'))).toMatchObject({ reason: 'rate_limited' })
  clock.advance(hourMs)
  await rateLimiter.pass(undefined, '/users')
  rateLimiter.succeeded('/users')
  const before = [...stored]
  await rateLimiter.blockFor(hourMs, '/documents')
  const refused = await caught(rateLimiter.pass(undefined, '/documents'))
  expect(refused).toMatchObject({ reason: 'rate_limited', retryAt: clock.now() + hourMs })
  expect(refused).toMatchObject({ message: expect.stringContaining('The endpoint /documents accepts no requests') })
  expect([rateLimiter.leftMs('/documents'), rateLimiter.leftMs('/users')]).toEqual([hourMs, 0])
  await rateLimiter.pass(undefined, '/users')
  expect(stored).toEqual(before)
  // The tenant's own waits count for all, also during one of an endpoint.
  await rateLimiter.blockFor(2 * hourMs, '/users')
  expect(await caught(rateLimiter.pass(undefined, '/documents'))).toMatchObject({ retryAt: clock.now() + 2 * hourMs })
})

it('a wait counts for the whole tenant when its endpoint succeeded meanwhile, or no other did', async () => {
  const { clock, rateLimiter } = setUp()
  const statesAgain = async () => {
    await rateLimiter.blockFor(hourMs, '/documents')
    const refused = await caught(rateLimiter.pass(undefined, '/users'))
    clock.advance(hourMs)
    return refused
  }
  for (let n = 0; n < 3; n++) expect(await statesAgain()).toMatchObject({ reason: 'rate_limited' })
  rateLimiter.succeeded('/users')
  rateLimiter.succeeded('/documents')
  expect(await statesAgain()).toMatchObject({ reason: 'rate_limited' })
})
