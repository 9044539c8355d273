import { expect, it } from 'vitest'
import { liveAtOnce } from './crew.ts'
import { seedsFrom } from './lives.ts'

const seeds = seedsFrom(40, 2)

async function traces(jobs: number): Promise<readonly string[]> {
  const reports: string[] = []
  await liveAtOnce(seeds, { steps: 1, faults: true }, jobs, ({ seed, trace, faults }) => {
    reports.push(`${seed} ${trace} ${[...faults]}`)
  })
  return reports.toSorted()
}

it('runs the same lives in several processes as in one', async () => {
  const alone = await traces(1)
  expect(alone).toHaveLength(seeds.length)
  expect(await traces(2)).toEqual(alone)
})
