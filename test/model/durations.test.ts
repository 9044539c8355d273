import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describeDuration, formatDuration, parseDuration } from '../../src/model/time.ts'

it.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['1h30m', 5_400_000],
  ['30d', 2_592_000_000],
  ['250ms', 250],
])('reads %s as %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

it.each(['', '1', 'h', '1.5h', '-1h', '1 h', '1w', '99999999999999999d'])('refuses %j', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})

it.each([
  [40_000, '40 s'],
  [12 * 60_000, '12 min'],
  [5 * 3_600_000, '5 h'],
  [5_400_000, '1 h 30 min'],
  [10 * 3_600_000 - 1, '9 h 59 min'],
  [10.5 * 3_600_000, '10 h'],
  [47.5 * 3_600_000, '47 h'],
  [3 * 86_400_000, '3 days'],
  [3 * 86_400_000 - 25_000, '2 days 23 h'],
  [10.9 * 86_400_000, '10 days'],
  [-1.5 * 3_600_000, '1 h 30 min'],
])('describes %d ms as %s', (ms, text) => {
  expect(describeDuration(ms)).toBe(text)
})

it.each([
  [90_000, '90s'],
  [5_400_000, '90m'],
  [86_400_000, '1d'],
  [90_000_000, '25h'],
])('writes %i ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

it('writes them without loss', () => {
  fc.assert(fc.property(fc.maxSafeNat(), (ms) => parseDuration(formatDuration(ms)) === ms))
})
