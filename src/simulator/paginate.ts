import type { CursorContent, Position } from './cursors.ts'
import type { OrderedStore } from './ordered-store.ts'
import type { CursorKind, PerFeed, Readings } from './readings.ts'
import { invalidParameter } from './server/api-error.ts'
import type { Pagination } from './server/envelope.ts'

export type FeedName = keyof PerFeed<unknown>

export interface Page<T> {
  readonly records: readonly T[]
  readonly hasMore: boolean
  readonly next: Position
}

/**
 * Start position without a cursor. If the feed is ordered by the filtered time, keyset pagination starts at `from` (epoch
 * milliseconds).
 */
export function startPosition(kind: CursorKind, from: number | null = null): Position {
  if (kind === 'offset') return { kind, offset: 0 }
  return { kind, key: from === null ? null : { sort: from, id: '' } }
}

export function readPage<T>(
  store: OrderedStore<T>,
  position: Position,
  limit: number,
  matches: ((record: T) => boolean) | null,
): Page<T> {
  const source = position.kind === 'offset' ? store.fromRank(position.offset) : store.after(position.key)
  const records: T[] = []
  let scanned = 0
  let last: T | undefined
  let hasMore = false
  for (const record of source) {
    const counts = matches === null || matches(record)
    if (counts && records.length === limit) {
      hasMore = true
      break
    }
    scanned++
    last = record
    if (counts) records.push(record)
  }
  if (position.kind === 'offset')
    return { records, hasMore, next: { kind: 'offset', offset: position.offset + scanned } }
  return { records, hasMore, next: { kind: 'keyset', key: last === undefined ? position.key : store.keyOf(last) } }
}

/** The effective page size ("Limits"); throws 400 for one out of range if `badPageSize` is `reject`. */
export function pageSize(readings: Readings, feed: FeedName, query: URLSearchParams): number {
  const { pageSizeParameter, apiClientsPageSizeParameter, badPageSize } = readings
  const parameter = feed === 'apiClients' ? apiClientsPageSizeParameter : pageSizeParameter
  const text = parameter === null ? null : query.get(parameter)
  const fallback = readings.defaultPageSize[feed]
  const greatest = readings.maxPageSize[feed]
  if (text === null) return fallback
  const wanted = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (wanted >= 1 && wanted <= greatest) return wanted
  if (badPageSize === 'reject') throw invalidParameter(`${parameter} must be an integer from 1 to ${greatest}`)
  return wanted > greatest ? greatest : fallback
}

export function paginationOf<T>(
  readings: Readings,
  feed: FeedName,
  page: Page<T>,
  limit: number,
  encode: (content: CursorContent) => string,
  updatedAfter: number | null = null,
): Pagination {
  const hasMore = page.hasMore || (readings.hasMoreWhenFull && page.records.length === limit)
  const size = feed === 'apiClients' ? {} : { limit }
  const extra = readings.unknownFields ? { totalPages: null } : {}
  if (!hasMore && !readings.lastPageCursor[feed]) {
    const { absentCursor } = readings
    if (absentCursor === 'missing') return { ...size, hasMore, ...extra }
    return { ...size, nextCursor: absentCursor === 'empty' ? '' : null, hasMore, ...extra }
  }
  // The cursor at the end has no filter, because a client that stores it would miss new records.
  const nextCursor = encode({ position: page.next, updatedAfter: hasMore ? updatedAfter : null })
  return { ...size, nextCursor, hasMore, ...extra }
}
