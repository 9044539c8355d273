import { expect, it } from 'vitest'
import { boundedList } from '../../src/checks/support/roles.ts'
import { materialFacts } from '../../src/evaluate/findings/material-facts.ts'

const codes = (count: number) => Array.from({ length: count }, (_, n) => `Code_${String(n).padStart(5, '0')}`)

it('an entry that is not stated changes the facts that a waiver covers', () => {
  const facts = (list: readonly string[]) => materialFacts(boundedList('excess', list), ['excess'])
  expect(facts(codes(30))).toEqual(facts(codes(30)))
  expect(facts([...codes(29), 'Other'])).not.toEqual(facts(codes(30)))
})
