import type { ResourceName } from '../../src/model/resource-names.ts'
import type { Feed } from './readings.ts'

/** The statement of a page about the pages that follow it. */
export interface PageEnd {
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

/** Full syncs that the tenant answered to their end, with their beginnings; times are the world's. */
export class WireLog {
  /** When the latest full sync began that was handed a cursor. */
  readonly #begun = new Map<string, number>()
  readonly #answered = new Map<ResourceName, number>()

  /** A page went out; `from` is the cursor it was asked for with, null at the beginning of the feed. */
  page(feed: Feed, from: string | null, { hasMore, nextCursor }: PageEnd, at: number): void {
    const begun = from === null ? at : this.#begunWith(feed, from)
    if (nextCursor !== null)
      this.#begun.set(`${feed} ${nextCursor}`, Math.max(begun, this.#begunWith(feed, nextCursor)))
    if (!hasMore) this.whole(feed, begun)
  }

  /** All of a resource was answered, beginning at some time. */
  whole(resource: ResourceName, begun: number): void {
    this.#answered.set(resource, Math.max(begun, this.answered(resource)))
  }

  /** When the latest full sync began that was answered to its end; minus infinity before the first. */
  answered(resource: ResourceName): number {
    return this.#answered.get(resource) ?? Number.NEGATIVE_INFINITY
  }

  #begunWith(feed: Feed, cursor: string): number {
    return this.#begun.get(`${feed} ${cursor}`) ?? Number.NEGATIVE_INFINITY
  }
}
