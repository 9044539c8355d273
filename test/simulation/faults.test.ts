import { expect, it } from 'vitest'
import { live, replayOf, seedsFrom } from './lives.ts'
import { Tally } from './tally.ts'

const options = { steps: 10, faults: true }

it.each([1, 2, 3])(
  'lives full of faults never show a false green, nor lose or invent a record (part %i)',
  async (part) => {
    const tally = new Tally()
    const broken: string[] = []
    for await (const report of live(seedsFrom(part * 1000, 8), options)) {
      tally.add(report)
      const { seed, violations } = report
      for (const { kind, step, what } of violations)
        broken.push(`${kind}, step ${step}: ${what} (${replayOf(seed, options)})`)
    }
    expect(broken).toEqual([])
    expect(tally.judged.passes).toBeGreaterThan(50)
  },
  120_000,
)

it('a seed is lived again in every detail', async () => {
  const traces: string[] = []
  for await (const { trace } of live([77, 77], options)) traces.push(trace)
  expect(traces[0]).toBe(traces[1])
})
