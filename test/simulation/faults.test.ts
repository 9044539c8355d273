import { expect, it } from 'vitest'
import { live, liveAll, seedsFrom } from './lives.ts'

/** Short lives meet more beginnings and readings of the specification, long ones more ends. */
const lives = [
  { from: 1, count: 60, steps: 4 },
  { from: 1001, count: 60, steps: 4 },
  { from: 2001, count: 60, steps: 4 },
  { from: 3001, count: 60, steps: 10 },
] as const

it.each(lives)(
  '$count lives full of faults, $steps steps each from seed $from, show no false green, nothing lost and nothing invented',
  async ({ from, count, steps }) => {
    const { tally, broken } = await liveAll(seedsFrom(from, count), { steps, faults: true })
    expect(broken).toEqual([])
    expect(tally.judged.passes).toBeGreaterThan(count * steps)
  },
  120_000,
)

it('a seed is lived again in every detail', async () => {
  const traces: string[] = []
  for await (const { trace } of live([77, 77], { steps: 12, faults: true })) traces.push(trace)
  expect(traces[0]).toBe(traces[1])
})
