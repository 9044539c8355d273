import { expect, it } from 'vitest'
import { asRequestId } from '../../../src/api/transport/envelope.ts'

it.each([
  ['7f9c24e8-3b12-4fef-91e0-56a2d5a1c001', '7f9c24e8-3b12-4fef-91e0-56a2d5a1c001'],
  ['0HMVD9K2J3L4:00000002', '0HMVD9K2J3L4:00000002'],
  ['4bf92f3577b34da6a3ce929d0e0e4736', '4bf92f3577b34da6a3ce929d0e0e4736'],
  [42, '42'],
  [' a\u0000\u001b[31m\nb\u202e ', 'a[31mb'],
  ['', null],
  ['\n', null],
  [null, null],
  [{}, null],
  ['x'.repeat(201), '[withheld: string of 201 characters]'],
  ['ann@example.com 7', '[withheld: string of 17 characters]'],
  ['eyJhbGciOiJub25lIn0.eyJhIjoxfQ.', '[withheld: string of 31 characters]'],
])('keeps the request id %j as bounded text', (sent, kept) => {
  expect(asRequestId(sent)).toBe(kept)
})
