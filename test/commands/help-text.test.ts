import { expect, it } from 'vitest'
import { fittingHelp } from '../../src/commands/support/help-text.ts'
import { fakeIo } from '../support/fake-io.ts'

const terminal = { columns: 80, hasColors: false }

it('fills paragraphs to the width of the terminal and keeps headings, lists and examples', () => {
  const text = [
    'Usage: tenantwatch accept [options] [id]',
    '',
    'The list has one hold per line: id, tenant, resource, reason, count, and the word',
    'accepted until the hold is gone.',
    '',
    'Examples:',
    '  tenantwatch accept 3f2a9c01b7de --count 120 --reason "Left with the spin-off, ticket 4711, agreed"',
    '  tenantwatch accept',
  ].join('\n')
  expect(fittingHelp(text, null)).toBe(text)
  expect(fittingHelp(text, terminal).split('\n')).toEqual([
    'Usage: tenantwatch accept [options] [id]',
    '',
    'The list has one hold per line: id, tenant, resource, reason, count, and the',
    'word accepted until the hold is gone.',
    '',
    'Examples:',
    '  tenantwatch accept 3f2a9c01b7de --count 120 --reason "Left with the spin-off,',
    '    ticket 4711, agreed"',
    '  tenantwatch accept',
  ])
})

it.each(['accept', 'verify', 'history', 'purge', 'migrate-store', 'explain', 'rules', 'findings'])(
  'shows the help of %s within 80 columns',
  async (command) => {
    const texts: string[] = []
    const stdout = { isTTY: true, columns: 80, write: (piece: string) => texts.push(piece) }
    await fakeIo({ env: {}, folder: '.' }).runWith({ stdout } as never, command, '--help')
    const lines = texts.join('').split('\n')
    expect(lines.length).toBeGreaterThan(10)
    // A word that is longer stays whole.
    expect(lines.filter((line) => line.length > 80 && line.trim().split(' ').length > 1)).toEqual([])
  },
)
