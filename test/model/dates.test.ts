import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseIsoDate, toIso } from '../../src/model/time.ts'

it.each([
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z', true],
  ['2026-01-02T03:04:05.1234567Z', '2026-01-02T03:04:05.123Z', true],
  ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z', true],
  ['2026-01-02T03:04:05-0530', '2026-01-02T08:34:05.000Z', true],
  ['2026-01-02T03:04:05+02', '2026-01-02T01:04:05.000Z', true],
  ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z', true],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z', true],
  ['2017-01-01T05:29:60.5+05:30', '2017-01-01T00:00:00.500Z', true],
  ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z', false],
  ['2026-01-02T03:04', '2026-01-02T03:04:00.000Z', false],
  ['2026-01-02', '2026-01-02T00:00:00.000Z', false],
  ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.000Z', true],
  ['0001-01-01T00:00:00', '0001-01-01T00:00:00.000Z', false],
  ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z', true],
])('reads %s as %s', (text, iso, hasOffset) => {
  const parsed = parseIsoDate(text)
  expect(parsed && toIso(parsed.ms)).toBe(iso)
  expect(parsed?.hasOffset).toBe(hasOffset)
})

it.each([
  '2025-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-12-31T23:59:61Z',
  '2026-12-31T23:58:60Z',
  '2026-12-31T23:59:60+01:00',
  '2026-W01-1',
  'March 7',
  '2026-01-01T00:00:00+99:00',
  ' 2026-01-01T00:00:00Z',
])('refuses %j', (text) => {
  expect(parseIsoDate(text)).toBeUndefined()
})

it('reads every instant that the clock can write back to the same millisecond', () => {
  const instant = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  fc.assert(fc.property(instant, (date) => parseIsoDate(date.toISOString())?.ms === date.getTime()))
})

it('reads the plain form exactly as any other', () => {
  const two = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, '0'))
  const parts = fc.tuple(two, two, two, two, two, two, two, fc.constantFrom('', '.000', '.999', '.12', '.x00'))
  fc.assert(
    fc.property(parts, ([century, year, month, day, hour, minute, second, fraction]) => {
      const text = `${century}${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}`
      expect(parseIsoDate(`${text}Z`)).toEqual(parseIsoDate(`${text}+00:00`))
    }),
    { numRuns: 2000 },
  )
  for (const text of ['2024-02-29T00:00:00', '2100-02-29T00:00:00', '0099-12-31T23:59:59', '0000-01-01T00:00:00']) {
    expect(parseIsoDate(`${text}Z`)).toEqual(parseIsoDate(`${text}+00:00`))
  }
})
