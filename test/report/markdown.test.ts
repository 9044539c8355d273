import fc from 'fast-check'
import { expect, it } from 'vitest'
import { printable } from '../../src/model/text/printable.ts'
import { code, md } from '../../src/report/markdown.ts'
import { bareMarkdown } from '../hostile/support/reading.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('`', ' ', '\\', '*', '|', 'a') }),
)

it('ends a code span by no backtick of its text, and keeps the text', () => {
  fc.assert(
    fc.property(text, (any) => {
      const span = code(any)
      expect(bareMarkdown(`- before ${span}, after`)).toBe('- before , after')
      const [, fence = '', inner = ''] = /^(`+)(?!`)(.*)(?<!`)\1$/s.exec(span) ?? []
      expect(fence).not.toBe('')
      const isPadded = inner.startsWith(' ') && inner.endsWith(' ') && inner.trim() !== ''
      expect(isPadded ? inner.slice(1, -1) : inner.trim() && inner).toBe(printable(any).trim() && printable(any))
    }),
  )
})

it('leaves no markup of a text outside a code span', () => {
  fc.assert(
    fc.property(text, (any) => {
      expect(bareMarkdown(md(any))).not.toMatch(/[\\`*_[\]<>|#~&@$!]|:\/\//)
    }),
  )
})

it.each([
  ['plain', '`plain`'],
  ['a`b', '``a`b``'],
  ['`b``', '``` `b`` ```'],
  ['', '`  `'],
])('writes %j as %s', (any, span) => expect(code(any)).toBe(span))
