import type { Prng } from './prng.ts'

export type Feed = 'users' | 'documents' | 'api-clients'

/** How the modelled service reads the points that the specification leaves open; chosen once a seed. */
export interface Readings {
  readonly pageSize: Readonly<Record<Feed, number>>
  readonly cursorKind: 'keyset' | 'offset'
  /** True: no two answers hand out the same cursor text; false: the same position has the same text. */
  readonly freshCursors: boolean
  readonly lastPageCursor: boolean
  readonly absentCursor: 'null' | 'missing' | 'empty'
  readonly hasMoreWhenFull: boolean
  readonly documentOrder: 'createdAt' | 'updatedAt' | 'fileId'
  /** Whether documents that were never modified count for `updatedAfter` by their creation. */
  readonly updatedAfterNulls: boolean
  /** Whether a change of `uploadStatus` is a modification. */
  readonly statusTouches: boolean
  readonly upperGuids: boolean
  readonly dates: 'millis' | 'seven' | 'no-offset'
  readonly unknownFields: boolean
  readonly listOrder: 'stable' | 'reversed'
}

export function chooseReadings(prng: Prng, sizes: readonly number[] = [3, 5, 6, 8, 12, 50]): Readings {
  const size = () => prng.pick(sizes)
  const [least = 3, ...others] = sizes
  return {
    pageSize: {
      users: size(),
      documents: size(),
      'api-clients': others.length === 0 ? least : prng.pick([3, 5, 6, 50]),
    },
    cursorKind: prng.chance(0.65) ? 'keyset' : 'offset',
    freshCursors: prng.chance(0.6),
    lastPageCursor: prng.chance(0.7),
    absentCursor: prng.pick(['null', 'missing', 'empty']),
    hasMoreWhenFull: prng.chance(0.25),
    documentOrder: prng.pick(['createdAt', 'updatedAt', 'fileId']),
    updatedAfterNulls: prng.chance(0.5),
    statusTouches: prng.chance(0.6),
    upperGuids: prng.chance(0.2),
    dates: prng.pick(['millis', 'millis', 'seven', 'no-offset']),
    unknownFields: prng.chance(0.2),
    listOrder: prng.pick(['stable', 'reversed']),
  }
}
