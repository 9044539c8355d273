/** Consecutive parts of at most `size` items, so that other work can go on between them. */
export function* inParts<T>(items: readonly T[], size = 500): Iterable<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}
