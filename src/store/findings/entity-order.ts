/** Place of a finding in the list by entity. */
export interface EntityPlace {
  readonly id: number
  readonly entityId: string
}

type Compare = (a: EntityPlace, b: EntityPlace) => number

const { compare: compareNaturally } = new Intl.Collator('en', { numeric: true })

/** Compares numbers in ids by value, GUIDs last; findings of one entity by when they were first opened. */
export function entityOrder(direction: 'ascending' | 'descending'): Compare {
  const sign = direction === 'ascending' ? 1 : -1
  return (a, b) => sign * (compareIds(a.entityId, b.entityId) || a.id - b.id)
}

/** Compares numbers in ids by value; leading digits of a GUID are not a number. */
export function compareIds(a: string, b: string): number {
  const isGuid = looksLikeGuid(a)
  if (isGuid !== looksLikeGuid(b)) return isGuid ? 1 : -1
  if (!isGuid) return compareNaturally(a, b)
  return a < b ? -1 : Number(a > b)
}

function looksLikeGuid(id: string): boolean {
  return id.length === 36 && id[8] === '-' && id[23] === '-'
}

export interface WantedPlaces {
  readonly compare: Compare
  readonly most: number
  /** Only places after this one; null = from the first one. */
  readonly beyond: EntityPlace | null
}

/** The first places of an unordered list, in order; keeps at most twice as many in memory. */
export async function firstPlaces(
  all: AsyncIterable<readonly EntityPlace[]>,
  { compare, most, beyond }: WantedPlaces,
): Promise<readonly EntityPlace[]> {
  const kept: EntityPlace[] = []
  let last: EntityPlace | undefined
  for await (const batch of all) {
    for (const place of batch) {
      if (beyond !== null && compare(place, beyond) <= 0) continue
      if (last !== undefined && compare(place, last) >= 0) continue
      kept.push(place)
      if (kept.length < 2 * most) continue
      kept.sort(compare).splice(most)
      last = kept.at(-1)
    }
  }
  return kept.sort(compare).slice(0, most)
}
