import fc from 'fast-check'
import { expect, it } from 'vitest'
import { echoes } from '../../../src/api/transport/body.ts'

const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
const numbered = (character: string) => String.raw`\u00${character.charCodeAt(0).toString(16).padStart(2, '0')}`

it('finds a token in any text and name, however JSON writes it', () => {
  const ways = fc.array(fc.constantFrom('json', 'lower', 'upper', 'slash'), { minLength: 60, maxLength: 60 })
  const token = fc.string({ unit: visible, minLength: 8, maxLength: 60 })
  fc.assert(
    fc.property(token, ways, fc.string({ unit: 'grapheme' }), (text, chosen, other) => {
      const written = Array.from(text, (character, at) => {
        if (chosen[at] === 'lower') return numbered(character)
        if (chosen[at] === 'upper') return numbered(character).toUpperCase().replace('U', 'u')
        if (chosen[at] === 'slash' && character === '/') return String.raw`\/`
        return JSON.stringify(character).slice(1, -1)
      }).join('')
      const beside = JSON.stringify(other).slice(1, -1)
      for (const body of [`{"${beside}${written}": 1}`, `{"x": ["${written} ${beside}"]}`]) {
        expect(echoes(Buffer.from(body), text)).toBe(true)
      }
    }),
  )
})

it('finds nothing in a body without the token, nor a token of fewer than 8 characters', () => {
  expect(echoes(Buffer.from(String.raw`{"x": "a\\u0041-token\n"}`), 'A-token-of-acme')).toBe(false)
  expect(echoes(Buffer.from('{"name": "reading"}'), 'reading')).toBe(false)
})
