import leven from 'leven'

/** The candidate closest to a misspelled word, ignoring case; undefined when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  // At most one wrong letter in three: two other letters turn a short word into another one.
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = distanceOf(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance && distance < candidate.length) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

export function advice(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined ? `expected one of ${known.join(', ')}` : `did you mean "${near}"?`
}

/** Swapped letters are one mistake. */
function distanceOf(word: string, candidate: string): number {
  const distance = leven(word, candidate)
  const hasSameLetters = word.length > 2 && [...word].sort().join() === [...candidate].sort().join()
  return distance === 2 && hasSameLetters ? 1 : distance
}
