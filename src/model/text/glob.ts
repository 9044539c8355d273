/** The characters of a name for comparison: Unicode NFC, lower case. */
export function comparableName(name: string): readonly string[] {
  return Array.from(name.normalize('NFC').toLowerCase())
}

/**
 * Makes a matcher for a pattern: `*` is any run of characters, `?` one. The matcher takes names from `comparableName`.
 * It is no regular expression, so that its time is bounded by the product of both lengths.
 */
export function globMatcher(pattern: string): (name: readonly string[]) => boolean {
  const wanted = comparableName(pattern)
  return (name) => matches(wanted, name)
}

export function isMatch(pattern: string, text: string): boolean {
  return globMatcher(pattern)(comparableName(text))
}

function matches(wanted: readonly string[], name: readonly string[]): boolean {
  let [w, n] = [0, 0]
  /** Where to go on after a mismatch: the last `*` then takes one more character. */
  let [lastStar, resume] = [-1, 0]
  while (n < name.length) {
    if (wanted[w] === '*') {
      lastStar = w++
      resume = n
    } else if (wanted[w] === '?' || wanted[w] === name[n]) {
      w++
      n++
    } else if (lastStar >= 0) {
      w = lastStar + 1
      n = ++resume
    } else {
      return false
    }
  }
  return wanted.slice(w).every((rest) => rest === '*')
}
