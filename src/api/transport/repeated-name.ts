/**
 * True if an object in the text has the same name twice: the parser keeps only the last value.
 *
 * @param text valid JSON.
 * @param parsed its value.
 */
export function repeatsName(text: string, parsed: unknown): boolean {
  const named = namesIn(parsed)
  // Counting the strings takes longer, and is needed only where a string contains a quote or begins with a colon.
  return colonsAfterQuotes(text) > named && namesOf(text) > named
}

/** An upper bound of the number of names in the text. */
function colonsAfterQuotes(text: string): number {
  let count = 0
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    let before = colon - 1
    while (isSpace(text.charCodeAt(before))) before--
    if (text.charCodeAt(before) === quote) count++
  }
  return count
}

/** Counts the strings that a colon follows. */
function namesOf(text: string): number {
  let count = 0
  for (let start = text.indexOf('"'); start !== -1; ) {
    let after = endOfString(text, start) + 1
    while (isSpace(text.charCodeAt(after))) after++
    if (text[after] === ':') count++
    start = text.indexOf('"', after)
  }
  return count
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === backslash) before--
  return (at - before) % 2 === 0
}

const quote = 0x22
const backslash = 0x5c

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/**
 * Counts names without recursion, because a small text can nest deeper than the stack, and without copies, because
 * every page passes here.
 */
function namesIn(parsed: unknown): number {
  const left: object[] = []
  let count = 0
  const visit = (member: unknown) => {
    if (typeof member === 'object' && member !== null) left.push(member)
  }
  visit(parsed)
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (Array.isArray(value)) {
      for (const member of value) visit(member)
    } else {
      const members = value as Readonly<Record<string, unknown>>
      for (const name in members) {
        count++
        visit(members[name])
      }
    }
  }
  return count
}
