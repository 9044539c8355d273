import { expect, it } from 'vitest'
import { textTable } from '../../src/report/table.ts'
import { wrapLine } from '../../src/report/terminal.ts'

const at = (columns: number) => ({ columns, hasColors: false })
const guid = 'a8b86949-87ac-4e25-8252-220b3fd33e50'

it('cuts or breaks the last column to the width, and shortens a GUID first', () => {
  const heading = ['WHAT', 'FOUND']
  const rows = [['api-clients', `The client ${guid} has no permission, so grant it Api_ApiClients_Read`]]
  expect(
    textTable(heading, rows, { terminal: at(60) })
      .split('\n')
      .slice(1),
  ).toEqual(['api-clients  The client a8b86949… has no permission, so…'])
  expect(
    textTable(heading, rows, { terminal: at(60), lines: 3 })
      .split('\n')
      .slice(1),
  ).toEqual(['api-clients  The client a8b86949… has no permission, so', '             grant it Api_ApiClients_Read'])
})

it('leaves out optional columns where the last one has no room, but not the tenant of several', () => {
  const heading = ['TENANT', 'CHECK', 'FINDING']
  const options = { terminal: at(70), optional: ['TENANT', 'CHECK'] }
  const row = (tenant: string) => [tenant, 'c'.repeat(20), 'word '.repeat(20)]
  expect(textTable(heading, [row('acme'), row('acme')], options)).toMatch(/^FINDING/)
  expect(textTable(heading, [row('acme'), row('beta')], options)).toMatch(/^TENANT {2}FINDING/)
})

it('breaks a long line between words, but no quoted command and no path', () => {
  const command = '"tenantwatch export users --limit 10"'
  const line = `acme: compare them with the output of ${command}, then go on`
  expect(wrapLine(line, at(60), 2)).toBe(`acme: compare them with the output of\n  ${command}, then go on`)
  expect(wrapLine(line, null)).toBe(line)
  const path = `/var/${'x'.repeat(80)}/mirror.db`
  expect(wrapLine(`The file ${path} is new`, at(60))).toContain(`\n    ${path}\n`)
})
