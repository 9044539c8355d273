import fc from 'fast-check'
import { expect, it } from 'vitest'
import { renderOpenMetrics, renderPrometheus } from '../../src/metrics/exposition.ts'
import type { Family, SampledFamily } from '../../src/metrics/family.ts'
import { labelText } from '../../src/metrics/label-text.ts'
import { parseExposition } from './support/parse.ts'

const gauge = (samples: SampledFamily['samples']): Family => ({ name: 'x', type: 'gauge', help: 'A help.', samples })

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
const value = fc.oneof(fc.integer(), fc.double({ noNaN: true }))

it('lets every label value be parsed back, whatever it is', () => {
  fc.assert(
    fc.property(hostile, hostile, value, (a, b, number) => {
      const text = renderPrometheus([gauge([{ labels: { a, b }, value: number }])])
      const expected = { name: 'x', labels: { a: a.toWellFormed(), b: b.toWellFormed() }, value: number + 0 }
      expect(parseExposition(text)).toEqual([{ ...expected, value: Object.is(number, -0) ? 0 : number }])
    }),
    { numRuns: 2000 },
  )
})

it('never merges two label sets', () => {
  const pairs = fc.uniqueArray(fc.tuple(hostile, hostile), {
    selector: ([a, b]) => JSON.stringify([a.toWellFormed(), b.toWellFormed()]),
    maxLength: 20,
  })
  fc.assert(
    fc.property(pairs, (sets) => {
      const samples = sets.map(([a, b], value) => ({ labels: { a, b }, value }))
      const parsed = parseExposition(renderPrometheus([gauge(samples)]))
      expect(parsed.map(({ labels, value }) => [labels['a'], labels['b'], value])).toEqual(
        sets.map(([a, b], i) => [a.toWellFormed(), b.toWellFormed(), i]),
      )
    }),
    { numRuns: 500 },
  )
})

it('keeps series distinct that differ only in the position of a comma', () => {
  const samples = [
    { labels: { a: '1,b:2', b: '3' }, value: 1 },
    { labels: { a: '1', b: '2,b:3' }, value: 2 },
  ]
  expect(renderPrometheus([gauge(samples)])).toBe(
    '# HELP x A help.\n# TYPE x gauge\nx{a="1,b:2",b="3"} 1\nx{a="1",b="2,b:3"} 2\n',
  )
})

it('throws on a duplicate series and on NaN', () => {
  expect(() =>
    renderPrometheus([
      gauge([
        { labels: {}, value: 1 },
        { labels: {}, value: 2 },
      ]),
    ]),
  ).toThrow('occurs twice')
  expect(() => renderPrometheus([gauge([{ labels: { a: 'b' }, value: Number.NaN }])])).toThrow('x{a="b"} is NaN')
})

it('names counters by OpenMetrics and ends with EOF', () => {
  const counter: Family = {
    name: 'x_total',
    type: 'counter',
    help: 'Says "so" \\ and\nso.',
    samples: [{ labels: {}, value: 3 }],
  }
  const help = 'Says "so" \\\\ and\\nso.'
  expect(renderOpenMetrics([counter])).toBe(`# HELP x ${help}\n# TYPE x counter\nx_total 3\n# EOF\n`)
  expect(renderPrometheus([counter])).toBe(`# HELP x_total ${help}\n# TYPE x_total counter\nx_total 3\n`)
})

it('escapes, repairs and cuts a text for a label', () => {
  expect(labelText('Zoë "the" boss')).toBe('Zoë "the" boss')
  expect(labelText('a\u202eb\u0007\n')).toBe('a\\u{202e}b\\u{7}\\u{a}')
  expect(labelText('\ud800')).toBe('\ufffd')
  expect(Array.from(labelText('😀'.repeat(5000)))).toHaveLength(201)
})
