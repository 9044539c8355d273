import { spawnSync } from 'node:child_process'
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
  // A file or a pipe gets the same.
  expect(fittingHelp(text, null)).toBe(fittingHelp(text, terminal))
  expect(fittingHelp(text, terminal).split('\n')).toEqual([
    'Usage: tenantwatch accept [options] [id]',
    '',
    'The list has one hold per line: id, tenant, resource, reason, count, and the',
    'word accepted until the hold is gone.',
    '',
    'Examples:',
    '  tenantwatch accept 3f2a9c01b7de --count 120 \\',
    '    --reason "Left with the spin-off, ticket 4711, agreed"',
    '  tenantwatch accept',
  ])
})

it('breaks an example so that a shell still reads the same words', () => {
  const commands = [
    'curl -X POST http://127.0.0.1:9471/faults -d \'{"path":"/api/public/users","times":3,"effect":1}\' > faults.json',
    'tenantwatch export users --tenant acme --format csv --config /etc/tenantwatch/acme.yaml | sort > users.csv',
    `echo ${'long'.repeat(30)} end`,
  ]
  for (const command of commands) {
    const shown = fittingHelp(`Examples:\n  ${command}`, terminal).split('\n').slice(1)
    expect(shown.length).toBeGreaterThan(1)
    expect(shown.filter((line) => line.length > 80 && line.trim().split(' ').length > 2)).toEqual([])
    const words = (text: string) =>
      spawnSync('sh', ['-c', `set -f; printf '%s\\n' ${text.replace(/[|>]/g, '"&"')}`]).stdout
    expect(String(words(shown.join('\n')))).toBe(String(words(command)))
  }
})

it.each([{ isTTY: true, columns: 80 }, {}])('shows the help of every command within 80 columns %j', async (output) => {
  const help = async (...args: readonly string[]) => {
    const texts: string[] = []
    const stdout = { ...output, write: (piece: string) => texts.push(piece) }
    await fakeIo({ env: {}, folder: '.' }).runWith({ stdout } as never, ...args, '--help')
    return texts.join('')
  }
  const commands = [...(await help()).matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name = '']) => [name])
  expect(commands.length).toBeGreaterThan(20)
  const inner = ['init', 'schema', 'check', 'print'].map((name) => ['config', name])
  for (const command of [[], ...commands, ...inner]) {
    const lines = (await help(...command)).split('\n')
    expect(lines.length).toBeGreaterThan(8)
    // A word that is longer stays whole.
    expect(lines.filter((line) => line.length > 80 && line.trim().split(' ').length > 1)).toEqual([])
  }
})
