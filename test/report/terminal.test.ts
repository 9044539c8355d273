import { expect, it } from 'vitest'
import { table } from '../../src/report/formats.ts'
import { wrapLastColumn } from '../../src/report/terminal.ts'

const rows = [
  ['api-clients', 'no permission: the API client may not read them, so grant Api_ApiClients_Read'],
  ['clock', 'agrees'],
]
const text = table(['WHAT', 'FOUND'], rows)

it('breaks the last column between words, under its heading', () => {
  expect(wrapLastColumn(text, { columns: 60, hasColors: false })).toBe(
    [
      'WHAT         FOUND',
      'api-clients  no permission: the API client may not read',
      '             them, so grant Api_ApiClients_Read',
      'clock        agrees',
    ].join('\n'),
  )
})

it('changes nothing without a terminal, or where too few columns are left', () => {
  expect(wrapLastColumn(text, null)).toBe(text)
  expect(wrapLastColumn(text, { columns: 30, hasColors: false })).toBe(text)
})
