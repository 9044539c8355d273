import fc from 'fast-check'
import { expect, it } from 'vitest'
import { md } from '../../src/report/report-oscal.ts'
import { bareMarkdown } from '../hostile/support/reading.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('`', ' ', '\\', '*', '|', 'a') }),
)

it('leaves no markup of a text outside a code span', () => {
  fc.assert(
    fc.property(text, (any) => {
      expect(bareMarkdown(md(any))).not.toMatch(/[\\`*_[\]<>|#~&@$!]|:\/\//)
    }),
  )
})
