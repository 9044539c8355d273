import { expect, it } from 'vitest'
import { grouped } from '../../src/model/text/numbers.ts'

it.each([0, 7, 999, 1000, 12_345, 123_456, 1_234_567, 1_000_000_000, -1000, -999])(
  'groups the digits of %d as English does',
  (value) => expect(grouped(value)).toBe(new Intl.NumberFormat('en').format(value)),
)
