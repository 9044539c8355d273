import { expect, it } from 'vitest'
import { fittingTable } from '../../src/report/fitting-table.ts'
import { table } from '../../src/report/formats.ts'
import { fittingLines, wrapLastColumn, wrapLine } from '../../src/report/terminal.ts'

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
  expect(wrapLastColumn(text, { columns: 21, hasColors: false })).toBe(text)
})

it('breaks a long line between words and indents what follows, but not without a terminal', () => {
  const line = 'acme: 13 entries since Monday,  220 rows checked, 0 erased by retention, 0 not yet sealed'
  expect(wrapLine(line, { columns: 60, hasColors: false })).toBe(
    'acme: 13 entries since Monday,  220 rows checked, 0 erased\n    by retention, 0 not yet sealed',
  )
  expect(wrapLine(line, null)).toBe(line)
  expect(wrapLine('short', { columns: 60, hasColors: false })).toBe('short')
})

it('leaves out optional columns of a table that is too wide, then puts one below its row', () => {
  const heading = ['WHEN', '', 'TENANT', 'ID', 'OF']
  const rows = [['2026-01-01 10:00', 'now', 'acme', 'a8b86949-87ac-4e25-8252-220b3fd33e50', 'Retired monitor']]
  const options = { optional: ['TENANT'], ownLine: 'ID' }
  const at = (columns: number) => fittingTable(heading, rows, { columns, hasColors: false }, options).split('\n')
  expect(at(100)[1]).toBe('2026-01-01 10:00  now  acme    a8b86949-87ac-4e25-8252-220b3fd33e50  Retired monitor')
  expect(at(80)[1]).toBe('2026-01-01 10:00  now  a8b86949-87ac-4e25-8252-220b3fd33e50  Retired monitor')
  expect(at(75).slice(1)).toEqual([
    '2026-01-01 10:00  now  a8b86949-87ac-4e25-8252-220b3fd33e50  Retired',
    '                                                             monitor',
  ])
  expect(at(60)).toEqual([
    'WHEN                   OF',
    '    ID',
    '2026-01-01 10:00  now  Retired monitor',
    '    a8b86949-87ac-4e25-8252-220b3fd33e50',
  ])
  expect(fittingTable(heading, rows, null, options)).toBe(at(100).join('\n'))
})

it('breaks a word that is longer than its column after punctuation, else anywhere, and loses nothing', () => {
  expect(fittingLines('The key checks.user-role-active.severity is new', 16, 9)).toEqual([
    'The key',
    'checks.user-',
    'role-active.',
    'severity is new',
  ])
  expect(fittingLines('x'.repeat(20), 16, 9)).toEqual(['x'.repeat(16), 'xxxx'])
  expect(fittingLines('one two three four', 7, 2)).toEqual(['one two', 'three…'])
  expect(fittingLines('one two three four', 9, 1)).toEqual(['one two…'])
  expect(fittingLines('one two three', 8, 1)).toEqual(['one two…'])
  expect(fittingLines('onetwothree', 8, 1)).toEqual(['onetwot…'])
})

it('keeps a quoted command and a path whole, on a line of their own if they are longer than one', () => {
  const path = '/var/lib/tenantwatch/a-folder/mirror.db'
  expect(fittingLines(`The file ${path} is new`, 16, 9)).toEqual(['The file', path, 'is new'])
  const command = `"tenantwatch export users --config ${path}"`
  const terminal = { columns: 60, hasColors: false }
  expect(wrapLine(`Compare them with the output of ${command}, then go on`, terminal, 2)).toBe(
    `Compare them with the output of\n  ${command},\n  then go on`,
  )
  const table = `WHAT   FOUND\nusers  Run ${command} to see ${'them '.repeat(9)}`
  expect(wrapLastColumn(table, terminal).split('\n').slice(1, 3)).toEqual(['users  Run', `       ${command}`])
})

it('keeps a number and its word on one line', () => {
  expect(fittingLines('open findings: 12 critical, 3 high', 17, 9)).toEqual([
    'open findings:',
    '12 critical,',
    '3 high',
  ])
  expect(fittingLines('in 2026 Acme', 8, 9)).toEqual(['in 2026', 'Acme'])
})
