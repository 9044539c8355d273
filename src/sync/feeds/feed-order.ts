import type { Fetched } from '../../api/reader.ts'
import { isoMs } from '../../model/dates.ts'
import type { FeedResource } from '../../model/resource.ts'
import { noteEvent, type Run } from '../run.ts'

/** The times by which a page is ordered, in milliseconds since the epoch; null where none of its records has one. */
export interface FeedOrder {
  readonly first: number | null
  readonly last: number | null
  /** False when a record comes before one that it should follow. */
  readonly kept: boolean
}

export function orderWithin({ orderedBy }: FeedResource, { items }: Fetched): FeedOrder {
  let first: number | null = null
  let last: number | null = null
  let kept = true
  for (const item of items) {
    const next = item.ok && orderedBy !== undefined ? isoMs(Reflect.get(item.record, orderedBy)) : null
    if (next === null) continue
    if (last !== null && next < last) kept = false
    first ??= next
    last = next
  }
  return { first, last, kept }
}

/**
 * Notes a page that breaks the order of its feed.
 *
 * @param before where the page before it ended.
 * @returns where this one ends.
 */
export function noteOrder(run: Run, { first, last, kept }: FeedOrder, before: number | null): number | null {
  if (!kept || (first !== null && before !== null && first < before)) noteEvent(run, 'order_violation', 'order')
  return last ?? before
}
