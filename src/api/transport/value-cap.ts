/** Small values take many times the memory of their text. Some 330,000 granted permissions reach this limit. */
const maxValues = 2_000_000

/** Distinct rows of field names: V8 stores a description of each, a hundred times the size of its text. */
const maxShapes = 100_000

/** V8 stores an object with more fields as a dictionary, which is cheap to make. */
const mostShaped = 1024

/** Each pass over a dictionary with 500,000 fields blocks the event loop for half a second. */
const maxFields = 10_000

const harmlessLength = 2 ** 20

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const bracket = 0x5b
const backslash = 0x5c
const brace = 0x7b
const closingBrace = 0x7d

export function excessIn(text: string): string | null {
  if (text.length <= harmlessLength) return null
  const shapes = new Set<number>()
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
        if (fields > maxFields) return `an object of more than ${maxFields} fields`
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
