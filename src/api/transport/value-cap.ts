/**
 * So many values one answer may hold: small ones take many times the memory of their text. It takes some 330,000
 * permissions granted to reach it.
 */
export const maxValues = 2_000_000

/**
 * So many shapes of objects, each a row of field names from the first on: the JavaScript engine keeps a description of
 * every one, which takes a hundred times the memory of its text. Records that somebody designed have some dozens.
 */
export const maxShapes = 100_000

/** Of an object with more fields than this the engine makes a dictionary, which is cheap. */
const mostShaped = 1024

/** A text of this length is harmless whatever it holds. */
const harmlessLength = 2 ** 20

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const bracket = 0x5b
const backslash = 0x5c
const brace = 0x7b
const closingBrace = 0x7d

/** What a JSON text holds too much of to be parsed, in words, else null; it need not be JSON. */
export function excessIn(text: string): string | null {
  if (text.length <= harmlessLength) return null
  const shapes = new Set<number>()
  /** Of each open object that is not the innermost, a hash of its field names so far, and how many they are. */
  const open: number[] = []
  let shape = 0
  let fields = 0
  let name = 0
  let values = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (quoted) {
      if (code === quote) quoted = false
      else {
        if (code === backslash) index++
        name = (Math.imul(name, 31) + code) | 0
      }
      continue
    }
    switch (code) {
      case quote:
        quoted = true
        name = 7
        break
      case colon:
        shape = (Math.imul(shape, 0x01000193) ^ name) | 0
        if (fields++ < mostShaped) shapes.add(shape)
        if (shapes.size > maxShapes) return `objects of more than ${maxShapes} shapes`
        break
      case brace:
        open.push(shape, fields)
        shape = 0
        fields = 0
        values++
        break
      case closingBrace:
        fields = open.pop() ?? 0
        shape = open.pop() ?? 0
        break
      case comma:
      case bracket:
        values++
        break
    }
    if (values > maxValues) return `more than ${maxValues} values`
  }
  return null
}
