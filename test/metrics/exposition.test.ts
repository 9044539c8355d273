import fc from 'fast-check'
import { expect, it } from 'vitest'
import { labelText, renderHead, renderSeries } from '../../src/metrics/family.ts'
import { parseExposition } from './support/parse.ts'

const family = { name: 'x', help: 'Says "so" \\ and\nso.', labelNames: ['a', 'b'] }
/** Series of a gauge with two labels, whose values are their places in the list. */
const render = (sets: readonly (readonly string[])[]) =>
  renderSeries(family, (add) => {
    for (const [i, labels] of sets.entries()) add(i, ...labels)
  })

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    '"',
    '\\',
    '\n',
    '\\n',
    '\\"',
    '1,b:2',
    '2,b:3',
    '"} 0\nfake 1',
    '\r',
    '\0',
    '\u202e',
    '__proto__',
    '{a="b"}',
  ),
)

it('lets every label value be parsed back, whatever it is, and never merges two label sets', () => {
  const pairs = fc.uniqueArray(fc.tuple(hostile, hostile), {
    selector: ([a, b]) => JSON.stringify([a.toWellFormed(), b.toWellFormed()]),
    minLength: 1,
    maxLength: 20,
  })
  fc.assert(
    fc.property(pairs, (sets) => {
      const expected = sets.map(([a, b], value) => ({
        name: 'x',
        labels: { a: a.toWellFormed(), b: b.toWellFormed() },
        value,
      }))
      expect(parseExposition(render(sets))).toEqual(expected)
    }),
    { numRuns: 1000 },
  )
})

it('has the first of two equal series, and one line of help', () => {
  const twice = [
    ['1,b:2', '3'],
    ['1', '2,b:3'],
    ['1', '2,b:3'],
  ]
  expect(render(twice)).toBe('x{a="1,b:2",b="3"} 0\nx{a="1",b="2,b:3"} 1\n')
  expect(renderHead(family, 'gauge')).toBe('# HELP x Says "so" \\\\ and\\nso.\n# TYPE x gauge\n')
})

it('escapes, repairs and cuts a text for a label', () => {
  expect(labelText('Zoë "the" boss')).toBe('Zoë "the" boss')
  expect(labelText('a\u202eb\u0007\n')).toBe('a\\u{202e}b\\u{7}\\u{a}')
  expect(labelText('\ud800')).toBe('\ufffd')
  expect(Array.from(labelText('😀'.repeat(5000)))).toHaveLength(201)
})
