import { expect, it } from 'vitest'
import { liveAll, seedsFrom } from './lives.ts'

/** The reverse of a false green: a daemon that always says unknown would show none, either. */
const mostUnknown = 0.001

it('lives without faults are judged: after the warm-up at most one check-step in a thousand is unknown', async () => {
  const { tally, broken } = await liveAll(seedsFrom(1, 30), { steps: 12, faults: false })
  expect(broken).toEqual([])
  expect(tally.judged.checks).toBeGreaterThan(2000)
  expect(tally.unknownShare).toBeLessThanOrEqual(mostUnknown)
}, 300_000)
