import { expect, it } from 'vitest'
import { live, liveAll, seedsFrom } from './lives.ts'

/** A few lives, because every change of the code runs them; `npm run test:seeds` and each deliberate mistake run many more. */
const count = Number(process.env['SIMULATED_LIVES'] ?? 6)

/** The reverse of a false green: a daemon that always reports unknown would show none, either. */
const mostUnknown = 0.001
/** In so few lives, one look while a removal is being confirmed, which concerns the checks of users' roles. */
const ofOneMoment = 2

it('lives full of faults show no false green, nothing lost, nothing erased, nothing leaked and nothing invented', async () => {
  const { tally, broken } = await liveAll(seedsFrom(1, count), { steps: 6, faults: true })
  expect(broken).toEqual([])
  expect(tally.evaluated.passes).toBeGreaterThan(count * 6)
})

it('lives without faults are evaluated: after the warm-up at most one check-step in a thousand is unknown', async () => {
  const { tally, broken } = await liveAll(seedsFrom(1, 10), { steps: 12, faults: false })
  expect(broken).toEqual([])
  expect(tally.evaluated.checks).toBeGreaterThan(300)
  const { unknown, checks } = tally.evaluated
  expect(unknown).toBeLessThanOrEqual(Math.max(ofOneMoment, checks * mostUnknown))
})

it('a seed reproduces its life in every detail', async () => {
  const traces: string[] = []
  for await (const { trace } of live([77, 77], { steps: 4, faults: true })) traces.push(trace)
  expect(traces[0]).toBe(traces[1])
})
