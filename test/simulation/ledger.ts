import type { ResourceName } from '../../src/model/resource-names.ts'
import type { WallClock } from './clocks.ts'
import type { Feed } from './readings.ts'

/** The data that went over the wire, for the oracle; times are the world's. */
export class Ledger {
  readonly #shown = new Map<string, number>()
  readonly #denied = new Map<string, number>()
  /** Records that were shown in an invalid form. */
  readonly malformed = new Set<string>()
  /** Records that were shown with other values on another page. */
  readonly contradicted = new Set<string>()
  /** Broken promises of silence, one a request sent too early. */
  readonly tooEarly: string[] = []
  readonly waits = new StatedWaits()
  readonly wire = new WireLog()
  /** Records that a bleeding list lost although they exist: those it still does not show, and all. */
  readonly bled = new Set<string>()
  readonly everBled = new Set<string>()
  /** Records that were left out of a list, and not shown since. */
  readonly #hidden = new Set<string>()
  readonly #returned = new Map<string, { readonly at: number; readonly shownBefore: number }>()
  /** By how much a look-up of a user lagged behind the list at most, in milliseconds. */
  lagMs = 0
  /** World time of the last answer from the tenant itself. */
  answeredAt = Number.NEGATIVE_INFINITY
  /** World time at which a cache last replayed an answer of a resource. */
  readonly replays = new Map<ResourceName, number>()
  /** The same for one without a readable time, to a process that began after it was answered: nothing gives it away. */
  readonly unknowable = new Map<ResourceName, number>()
  /** Error of the local clock with which the time of a replay last agreed, in milliseconds. */
  replayedOffset: number | null = null
  readonly times = new ServerTimes()

  show(resource: ResourceName, id: string, at: number): void {
    const record = `${resource} ${id}`
    if (this.#hidden.delete(record)) this.#returned.set(record, { at, shownBefore: this.shownAt(resource, id) })
    this.#shown.set(record, at)
    this.bled.delete(`${resource} ${id}`)
  }

  bleed(resource: ResourceName, id: string): void {
    this.bled.add(`${resource} ${id}`)
    this.everBled.add(`${resource} ${id}`)
  }

  hide(resource: ResourceName, id: string): void {
    this.#hidden.add(`${resource} ${id}`)
  }

  /** Of a record that was hidden at `at`: when the tenant last showed it well before; null when it was not hidden. */
  hiddenSince(resource: ResourceName, id: string, at: number): number | null {
    const record = `${resource} ${id}`
    if (this.#hidden.has(record)) return this.shownAt(resource, id)
    const returned = this.#returned.get(record)
    return returned !== undefined && returned.at > at ? returned.shownBefore : null
  }

  /** When the tenant last showed a record well; never is minus infinity. */
  shownAt(resource: ResourceName, id: string): number {
    return this.#shown.get(`${resource} ${id}`) ?? Number.NEGATIVE_INFINITY
  }

  deny(userId: string, at: number): void {
    this.#denied.set(userId, at)
  }

  /** When the tenant last answered 404 for a user. */
  deniedAt(userId: string): number {
    return this.#denied.get(userId) ?? Number.NEGATIVE_INFINITY
  }
}

/** How wrong the server time of a resource's answers is, in milliseconds, null where it cannot be read; and since when. */
export interface ServerTime {
  readonly wrongMs: number | null
  readonly since: number
}

/** Beyond this the daemon must have noticed, in milliseconds: the limit, and what a skew may differ before it is kept. */
export const noticedSkewMs = 307_000

/** Kind of an answer's time; consecutive answers of one kind are merged. */
function kindOf(wrongMs: number | null): string {
  if (wrongMs === null) return 'unreadable'
  return Math.abs(wrongMs) <= noticedSkewMs ? 'right' : wrongMs < 0 ? 'behind' : 'ahead'
}

/** Server times stated by the answers of each resource. */
export class ServerTimes {
  readonly #last = new Map<ResourceName, ServerTime>()
  /** How far ahead of the world an answer's time was at most, in milliseconds, and how far behind. */
  mostAheadMs = 0
  mostBehindMs = 0

  /** @param wrongMs stated time minus the world's; null when it cannot be read. */
  note(resource: ResourceName, wrongMs: number | null, at: number): void {
    this.mostAheadMs = Math.max(this.mostAheadMs, wrongMs ?? 0)
    this.mostBehindMs = Math.max(this.mostBehindMs, -(wrongMs ?? 0))
    const before = this.#last.get(resource)
    const isSame = before !== undefined && kindOf(before.wrongMs) === kindOf(wrongMs)
    this.#last.set(resource, { wrongMs, since: isSame ? before.since : at })
  }

  of(resource: ResourceName): ServerTime | undefined {
    return this.#last.get(resource)
  }
}

/** A wait that the tenant stated, as it reached the daemon; times are the world's, which no setting of a clock moves. */
export interface StatedWait {
  readonly toldAt: number
  readonly until: number
}

/** So long the slow store may take to keep a wait: a process that ends meanwhile takes it along. */
const unstoredMs = 250

/** The silences that the tenant asked for: no request may break one, whichever process sends it. */
export class StatedWaits {
  #waits: readonly StatedWait[] = []

  #end = 0

  /** When the last one ends, also one that may not have been stored; 0 when there was none. */
  get end(): number {
    return this.#end
  }

  state(wait: StatedWait): void {
    this.#end = Math.max(this.#end, wait.until)
    this.#waits = [...this.#waits.filter(({ until }) => until > wait.toldAt), wait]
  }

  /** A process ended; its last stated wait may not have been stored. */
  processEnded(now: number): void {
    this.#waits = this.#waits.filter(({ toldAt }) => now - toldAt > unstoredMs)
  }

  /** The wait that a request breaks, sent now by the process started at `bornAt`. */
  brokenBy(now: number, bornAt: number, wall: WallClock): StatedWait | undefined {
    return this.#waits.find((wait) => wait.toldAt < now && now < wait.until - aheadBefore(bornAt, wait, wall))
  }
}

/**
 * By how much the wall clock was set ahead between a wait and the birth of a later process: to that one only the stored
 * wall time can measure it. Within one process no clock excuses anything.
 */
function aheadBefore(bornAt: number, { toldAt }: StatedWait, wall: WallClock): number {
  return bornAt > toldAt ? wall.setAheadSince(toldAt) - wall.setAheadSince(bornAt + 1) : 0
}

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
