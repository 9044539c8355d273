/** The end of a name in JSON: a quote that no backslash escapes, before a colon. In a string every quote is escaped. */
const endOfName = /(?<!\\)(?:\\\\)*"[ \t\n\r]*:/g

/** True when an object of the text has one name twice: the parser keeps the last value and drops the others. */
export function repeatsName(text: string, parsed: unknown): boolean {
  let named = 0
  endOfName.lastIndex = 0
  while (endOfName.test(text)) named++
  return named > namesIn(parsed)
}

/** Without recursion: a small text can nest deeper than the stack. Without copies: every page passes here. */
function namesIn(parsed: unknown): number {
  const left: object[] = [{ parsed }]
  let count = -1
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    const isList = Array.isArray(value)
    for (const name in value) {
      if (!isList) count++
      const member: unknown = Reflect.get(value, name)
      if (typeof member === 'object' && member !== null) left.push(member)
    }
  }
  return count
}
