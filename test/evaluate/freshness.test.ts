import { expect, it } from 'vitest'
import { fullFreshnessLimitMs, incrementalFreshnessLimitMs, isFresh, resultLimitMs } from '../../src/model/freshness.ts'
import { hourMs, minuteMs } from '../../src/model/time.ts'

it.each([
  ['three intervals', null, hourMs, null, 3 * hourMs],
  ['three durations where full syncs take longer', null, hourMs, 2 * hourMs, 6 * hourMs],
  ['at least 15 minutes', null, minuteMs, minuteMs, 15 * minuteMs],
  ['an explicit limit as it is', minuteMs, hourMs, hourMs, minuteMs],
])('limits the age of a full sync to %s', (_case, freshnessMs, intervalMs, durationMs, expected) => {
  expect(fullFreshnessLimitMs({ freshnessMs, full: { intervalMs } }, durationMs)).toBe(expected)
})

it('limits incremental syncs and check results to three intervals, at least 15 minutes', () => {
  for (const limit of [incrementalFreshnessLimitMs, resultLimitMs]) {
    expect([limit(minuteMs), limit(5 * minuteMs), limit(10 * minuteMs)]).toEqual([15, 15, 30].map((m) => m * minuteMs))
  }
})

it.each([
  ['never', null, false],
  ['now', 1_000_000, true],
  ['exactly at the limit', 1_000_000 - 500, true],
  ['a millisecond past the limit', 1_000_000 - 501, false],
  ['slightly ahead of the clock', 1_000_000 + 300_000, true],
  ['well ahead of the clock', 1_000_000 + 300_001, false],
])('decides whether data of %s is fresh', (_case, since, expected) => {
  expect(isFresh(since, 500, 1_000_000)).toBe(expected)
})
