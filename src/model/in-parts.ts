/** Consecutive parts of at most `size` items, so that other work can go on between them. */
export function* inParts<T>(items: Iterable<T>, size = 500): Iterable<readonly T[]> {
  let part: T[] = []
  for (const item of items) {
    part.push(item)
    if (part.length < size) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}
