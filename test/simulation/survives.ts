import { expect, it } from 'vitest'
import { type LifeOptions, liveAll, seedsFrom } from './lives.ts'

/** Many lives are several test files' work, so that they are lived at once: one would keep all the others waiting. */
export function itSurvives(first: number, count: number, steps: LifeOptions['steps']): void {
  it(`${count} lives full of faults, ${steps} steps each from seed ${first}, show no false green, nothing lost and nothing invented`, async () => {
    const { tally, broken } = await liveAll(seedsFrom(first, count), { steps, faults: true })
    expect(broken).toEqual([])
    expect(tally.judged.passes).toBeGreaterThan(count * steps)
  }, 300_000)
}
