import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatDuration } from '../../src/config/values.ts'
import { parseDuration } from '../../src/model/durations.ts'

it.each([
  [0, '0s'],
  [90_000, '1m30s'],
  [5_400_000, '1h30m'],
  [86_400_000, '1d'],
  [90_000_000, '25h'],
])('writes %i ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

it('is lossless', () => {
  fc.assert(fc.property(fc.maxSafeNat(), (ms) => parseDuration(formatDuration(ms)) === ms))
})
