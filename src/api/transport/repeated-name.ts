/** The end of a name in JSON: a quote that no backslash escapes, before a colon. In a string every quote is escaped. */
const endOfName = /(?<!\\)(?:\\\\)*"[ \t\n\r]*:/g

/** True when an object of the text has one name twice: the parser keeps the last value and drops the others. */
export function repeatsName(text: string, parsed: unknown): boolean {
  let named = 0
  endOfName.lastIndex = 0
  while (endOfName.test(text)) named++
  return named > namesIn(parsed)
}

/** Without recursion: a small text can nest deeper than the stack. */
function namesIn(parsed: unknown): number {
  const left = [parsed].filter(isObjectOrList)
  let count = 0
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    const members: unknown[] = Object.values(value)
    if (!Array.isArray(value)) count += members.length
    for (const member of members) if (isObjectOrList(member)) left.push(member)
  }
  return count
}

function isObjectOrList(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
