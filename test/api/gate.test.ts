import { expect, it } from 'vitest'
import { Gate, type GateOptions } from '../../src/api/gate.ts'
import { dayMs, hourMs, secondMs } from '../../src/model/durations.ts'
import { silentLog } from '../../src/model/log.ts'
import { roles } from '../../src/resources/roles.ts'
import { type FakeClock, fakeClock } from '../support/fake-clock.ts'
import { envelope } from './support/answers.ts'
import { caught } from './support/caught.ts'
import { testClient } from './support/client.ts'
import { sendJson, testServer } from './support/test-server.ts'

/** A gate and its stored state; `again` is the gate of the next process. */
function setUp({
  clock = fakeClock(Date.UTC(2026, 0, 15)),
  ...options
}: Partial<GateOptions> & { readonly clock?: FakeClock } = {}) {
  const stored: number[] = []
  const storeWait = async (until: number) => {
    stored.push(until)
  }
  const free = { clock, random: () => 0.5, requestsPerSecond: 0, blockedUntil: 0, storeWait, log: silentLog() }
  const gate = new Gate({ ...free, ...options })
  const again = () => new Gate({ ...free, blockedUntil: stored.at(-1) ?? 0 })
  return { clock, gate, stored, again }
}

it.each([-dayMs, -hourMs, hourMs, dayMs])(
  'a wall clock that is set by %i ms neither ends nor lengthens a long wait',
  async (jump) => {
    const { clock, gate } = setUp()
    await gate.blockFor(600 * secondMs)
    clock.jump(jump)
    clock.advance(569 * secondMs)
    const retryAt = clock.now() + 31 * secondMs
    expect(await caught(gate.pass())).toMatchObject({ reason: 'rate_limited', retryAt })
    expect(gate.blockedUntil).toBe(retryAt)
    clock.advance(31 * secondMs)
    await gate.pass()
    expect(clock.sleeps).toEqual([])
  },
)

it('a wait is stored as wall time before its answer is handed on, a short one, too', async () => {
  const { clock, gate, stored } = setUp()
  await gate.blockFor(5 * secondMs)
  expect(stored).toEqual([clock.now() + 5 * secondMs])
  await gate.blockFor(hourMs)
  expect(stored.at(-1)).toBe(clock.now() + hourMs)
  await gate.blockFor(2 * secondMs)
  expect(stored).toHaveLength(2)
})

it('the process after a kill waits for the rest of the time', async () => {
  const { clock, gate, again } = setUp()
  await gate.blockFor(90 * secondMs)
  clock.advance(50 * secondMs)
  const next = again()
  expect(await caught(next.pass())).toMatchObject({ reason: 'rate_limited', retryAt: clock.now() + 40 * secondMs })
  clock.advance(20 * secondMs)
  await next.pass()
  expect(clock.sleeps).toEqual([20 * secondMs])
})

it.each([-dayMs, dayMs])(
  'a wall clock set by %i ms in mid wait is made good in what the next process reads',
  async (jump) => {
    const { clock, gate, again } = setUp()
    await gate.blockFor(600 * secondMs)
    clock.jump(jump)
    await caught(gate.pass())
    clock.advance(100 * secondMs)
    expect(again().blockedUntil).toBe(clock.now() + 500 * secondMs)
  },
)

it('a stored wait lasts no longer than its remaining time, whatever clock it was stored by', async () => {
  const clock = fakeClock(Date.UTC(2026, 0, 15))
  const { gate, stored } = setUp({ clock, blockedUntil: clock.now() + dayMs, blockedForMs: hourMs })
  expect(gate.blockedUntil).toBe(clock.now() + hourMs)
  expect((await caught(gate.pass())).retryAt).toBe(clock.now() + hourMs)
  expect(stored).toEqual([clock.now() + hourMs])
  clock.advance(hourMs)
  await gate.pass()
})

it('a stored wait is cleared once it has passed, so that a clock set back cannot revive it', async () => {
  const { clock, gate, stored, again } = setUp()
  await gate.blockFor(60 * secondMs)
  clock.advance(60 * secondMs)
  await gate.pass()
  expect(stored.at(-1)).toBe(0)
  clock.jump(-dayMs)
  expect(again().blockedUntil).toBe(0)
})

it('waits that were stated side by side are stored in order, however slow the store is', async () => {
  const written: number[] = []
  const delays = [30, 10, 0]
  const clock = fakeClock(Date.UTC(2026, 0, 15))
  const { gate } = setUp({
    clock,
    async storeWait(until) {
      for (let turns = delays.shift() ?? 0; turns > 0; turns--) await null
      written.push(until - clock.now())
    },
  })
  await Promise.all([gate.blockFor(100_000), gate.blockFor(200_000), gate.blockFor(300_000)])
  expect(written).toEqual([100_000, 200_000, 300_000])
})

it('a wait that could not be stored holds all the same, and is stored as soon as it can be', async () => {
  const tried: number[] = []
  const { gate, clock } = setUp({
    async storeWait(until) {
      if (tried.push(until) === 1) throw new Error('The store is away')
    },
  })
  await gate.blockFor(hourMs)
  expect(tried).toHaveLength(1)
  expect(await caught(gate.pass())).toMatchObject({ reason: 'rate_limited' })
  await caught(gate.pass())
  expect(tried).toEqual([clock.now() + hourMs, clock.now() + hourMs])
})

it('those who waited together start no faster than the rate allows', async () => {
  const { clock, gate } = setUp({ requestsPerSecond: 2 })
  await gate.blockFor(10 * secondMs)
  const starts: number[] = []
  for (let i = 0; i < 5; i++) {
    await gate.pass()
    starts.push(clock.monotonic())
  }
  expect(starts).toEqual([10_000, 10_000, 11_000, 11_000, 12_000])
})

it('a wait that is stated while a request waits for its turn holds it back, too', async () => {
  const clock = fakeClock(Date.UTC(2026, 0, 15))
  const sleep = async (ms: number) => {
    if (clock.monotonic() === 0) await gate.blockFor(15 * secondMs)
    await clock.sleep(ms)
  }
  const { gate } = setUp({ clock: { ...clock, sleep }, requestsPerSecond: 1 })
  await gate.pass()
  await gate.pass()
  expect(clock.monotonic()).toBe(15 * secondMs)
})

it('a server that takes one request at a time and refuses others with 429 answers all of them', async () => {
  const refused = Array.from({ length: 7 }, () => Promise.withResolvers<void>())
  let refusals = 0
  let taken = 0
  await using server = await testServer(async (_, response) => {
    if (taken > 0) {
      refused[refusals++]?.resolve()
      sendJson(response, 429, {}, { 'retry-after': '1' })
      return
    }
    taken++
    await Promise.all(refused.map(({ promise }) => promise))
    await new Promise(setImmediate)
    taken--
    sendJson(response, 200, envelope([]))
  })
  const { client } = testClient(server.url)
  await using _ = client
  await Promise.all(Array.from({ length: 8 }, () => client.reader.fetch(roles, {})))
  await Promise.all(Array.from({ length: 8 }, () => client.reader.fetch(roles, {})))
  expect(refusals).toBe(7)
})

/** Passes so often, and returns the results of those that were admitted. */
async function admitted(gate: Gate, count: number): Promise<Disposable[]> {
  const entered: Disposable[] = []
  for (let index = 0; index < count; index++) void gate.pass().then((one) => entered.push(one))
  await new Promise(setImmediate)
  return entered
}

it('a refusal halves the requests in flight, down to one; 20 successes permit one more', async () => {
  const { gate } = setUp()
  const first = await admitted(gate, 6)
  expect(first).toHaveLength(6)
  for (let refusal = 0; refusal < 3; refusal++) gate.refused()
  for (const one of first) one[Symbol.dispose]()
  const second = await admitted(gate, 3)
  expect(second).toHaveLength(1)
  for (let success = 0; success < 20; success++) gate.succeeded()
  await new Promise(setImmediate)
  expect(second).toHaveLength(2)
  second[0]?.[Symbol.dispose]()
  await new Promise(setImmediate)
  expect(second).toHaveLength(3)
})

it('a request that is aborted while it waits takes no turn', async () => {
  const { gate } = setUp()
  const first = await gate.pass()
  gate.refused()
  const controller = new AbortController()
  const aborted = gate.pass(controller.signal)
  const next = await admitted(gate, 1)
  controller.abort()
  expect(await caught(aborted)).toMatchObject({ reason: 'aborted' })
  expect(next).toEqual([])
  first[Symbol.dispose]()
  await new Promise(setImmediate)
  expect(next).toHaveLength(1)
})
