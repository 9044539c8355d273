/** Undefined for invalid JSON. The parser's message quotes the text and is dropped. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
