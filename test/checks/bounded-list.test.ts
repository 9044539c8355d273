import { expect, it } from 'vitest'
import { boundedList } from '../../src/checks/support/roles.ts'
import { materialFacts } from '../../src/evaluate/findings/material-facts.ts'

const codes = (count: number) => Array.from({ length: count }, (_, n) => `Code_${String(n).padStart(5, '0')}`)

it('states a list of up to 20 whole, of a longer one the beginning, the length and a digest', () => {
  expect(boundedList('excess', codes(20))).toEqual({ excess: codes(20) })
  const long = boundedList('excess', codes(20_000))
  expect(long).toEqual({
    excess: codes(20),
    excessCount: 20_000,
    excessDigest: expect.stringMatching(/^[0-9a-f]{16}$/),
  })
})

it('an entry that is not stated changes the facts that a waiver covers', () => {
  const facts = (list: readonly string[]) => materialFacts(boundedList('excess', list), ['excess'])
  expect(facts(codes(30))).toEqual(facts(codes(30)))
  expect(facts([...codes(29), 'Other'])).not.toEqual(facts(codes(30)))
})
