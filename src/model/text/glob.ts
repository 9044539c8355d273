const star = 42
const question = 63

/** Normalizes a name for comparison: Unicode NFC, lower case. */
export function comparableName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/**
 * Makes a matcher for a pattern: `*` is any run of characters, `?` one. The matcher takes names from `comparableName`.
 * It is no regular expression, so that its time is bounded by the product of both lengths.
 */
export function globMatcher(pattern: string): (name: string) => boolean {
  const wanted = comparableName(pattern)
  return (name) => matches(wanted, name)
}

export function isMatch(pattern: string, text: string): boolean {
  return globMatcher(pattern)(comparableName(text))
}

function matches(wanted: string, name: string): boolean {
  let w = 0
  let n = 0
  let lastStar = -1
  let resume = 0
  while (n < name.length) {
    const code = wanted.charCodeAt(w)
    if (code === star) {
      lastStar = w++
      resume = n
    } else if (code === question) {
      w++
      n += characterLength(name, n)
    } else if (code === name.charCodeAt(n)) {
      w++
      n++
    } else if (lastStar >= 0) {
      w = lastStar + 1
      resume += characterLength(name, resume)
      n = resume
    } else {
      return false
    }
  }
  while (wanted.charCodeAt(w) === star) w++
  return w === wanted.length
}

function characterLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
