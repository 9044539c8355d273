import type { Listing, Page, Reading } from '../api/reader.ts'
import type { Fetched, Item } from '../sync/resource.ts'

function toItem<T extends object>(reading: Reading<T>): Item {
  return reading
}

/** A page of a paginated list in the engine's shape. */
export function fetchedPage<T extends object>({ items, ...page }: Page<T>): Fetched {
  return { ...page, items: items.map(toItem) }
}

/** A whole list in the engine's shape. */
export function fetchedList<T extends object>({ items, meta }: Listing<T>): Fetched {
  return { items: items.map(toItem), nextCursor: null, hasMore: false, meta }
}
