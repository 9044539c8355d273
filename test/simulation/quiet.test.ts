import { expect, it } from 'vitest'
import { live, replayOf, seedsFrom } from './lives.ts'
import { Tally } from './tally.ts'

const options = { steps: 24, faults: false }

/** FAULTS 4.2, the reverse: a daemon that always says unknown would show no false green, either. */
const mostUnknown = 0.001

it('lives without faults are judged: after the warm-up at most one check-step in a thousand is unknown', async () => {
  const tally = new Tally()
  const broken: string[] = []
  for await (const report of live(seedsFrom(1, 6), options)) {
    tally.add(report)
    const { seed, violations } = report
    for (const { kind, step, what } of violations)
      broken.push(`${kind}, step ${step}: ${what} (${replayOf(seed, options)})`)
  }
  expect(broken).toEqual([])
  expect(tally.judged.checks).toBeGreaterThan(1000)
  expect(tally.unknownShare).toBeLessThanOrEqual(mostUnknown)
}, 120_000)
