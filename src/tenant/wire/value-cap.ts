/**
 * So many values one answer may hold: small ones take many times the memory of their text. It takes some 330,000
 * permissions granted to reach it.
 */
export const maxValues = 2_000_000

const quote = 0x22
const comma = 0x2c
const bracket = 0x5b
const backslash = 0x5c
const brace = 0x7b

/** True when a JSON text holds more than `maxValues` values; it is not parsed for this, nor need it be JSON. */
export function holdsTooMany(text: string): boolean {
  // Each value takes a character at least.
  if (text.length <= maxValues) return false
  let count = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) quoted = !quoted
    else if (quoted) {
      if (code === backslash) index++
    } else if ((code === comma || code === bracket || code === brace) && ++count > maxValues) return true
  }
  return false
}
