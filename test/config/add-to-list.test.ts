import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { addToList } from '../../src/config/yaml-file.ts'

const item = { id: 'W-2', entity: '1041', reason: 'it: has # signs' }
const added = ['- id: W-2', '  entity: "1041"', '  reason: "it: has # signs"']
const at = (indent: string, end = '\n') => added.map((line) => `${indent}${line}${end}`).join('')

it.each([
  ['no file', '', `waivers:\n${at('  ')}`],
  ['no list', 'a: 1 # one\n\n# end\n', `a: 1 # one\n\n# end\nwaivers:\n${at('  ')}`],
  ['no line end', 'a: 1', `a: 1\nwaivers:\n${at('  ')}`],
  [
    'a list',
    'waivers: # all\n  - id: W-1 # first\n# end\nb: 2\n',
    `waivers: # all\n  - id: W-1 # first\n${at('  ')}# end\nb: 2\n`,
  ],
  [
    'an indented list',
    'waivers:\n    -   id: W-1\n        x: 1\n',
    `waivers:\n    -   id: W-1\n        x: 1\n${at('    ')}`,
  ],
  ['a list without indentation', 'waivers:\n- id: W-1\n\nb: 2\n', `waivers:\n- id: W-1\n${at('')}\nb: 2\n`],
  ['a list without line end', 'b: 2\nwaivers:\n  - { id: W-1 }', `b: 2\nwaivers:\n  - { id: W-1 }\n${at('  ')}`],
  ['an empty list', 'waivers: [] # none\nb: 2\n', `waivers: # none\n${at('  ')}b: 2\n`],
  ['no value', 'waivers:\nb: 2\n', `waivers:\n${at('  ')}b: 2\n`],
  ['no value but a comment', 'waivers: # none yet\nb: 2\n', `waivers: # none yet\n${at('  ')}b: 2\n`],
  ['an empty list at the end', 'b: 2\nwaivers: []', `b: 2\nwaivers:\n${at('  ')}`],
  ['a null', 'waivers: null\nb: 2\n', `waivers:\n${at('  ')}b: 2\n`],
  [
    'a text of lines',
    'waivers:\n  - x: |\n      one\n      two\n',
    `waivers:\n  - x: |\n      one\n      two\n${at('  ')}`,
  ],
  ['Windows', 'a: 1\r\nwaivers:\r\n  - id: W-1\r\n', `a: 1\r\nwaivers:\r\n  - id: W-1\r\n${at('  ', '\r\n')}`],
  ['comments only', '# nothing\n', `# nothing\nwaivers:\n${at('  ')}`],
])('adds to %s and changes nothing else', (_, source, result) => {
  const text = addToList(source, 'waivers', [item])
  expect(text).toBe(result)
  const before = parse(source) ?? {}
  expect(parse(text ?? '')).toEqual({ ...before, waivers: [...(before.waivers ?? []), item] })
})

it.each(['{ a: 1 }', 'waivers: [{ id: W-1 }]', 'waivers: 1', '- a', 'waivers: { a: 1 }'])(
  'does not add to %s',
  (source) => expect(addToList(source, 'waivers', [item])).toBeNull(),
)
