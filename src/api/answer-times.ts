import { hash } from 'node:crypto'
import type { Clock } from '../model/clock.ts'
import { hourMs, secondMs } from '../model/durations.ts'
import { SyncError } from '../model/errors.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { greatestSkewMs, isSkewed, type ReachedTime, type ServerTimes } from '../model/server-clock.ts'
import type { Oddity } from './reader.ts'

type RequestIdUse = 'new' | 'replayed' | 'reused'

const firstCapacity = 64

/** Request ids and server times of the last answers, as digests of 12 bytes, so that many tenants fit into memory. */
class SeenAnswers {
  readonly #capacity: number
  #idHigh = new Uint32Array(firstCapacity)
  #idLow = new Uint32Array(firstCapacity)
  /** 0 = several answers with different times had the id, so it identifies none. */
  #time = new Uint32Array(firstCapacity)
  #count = 0
  #next = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** `replayed`: id and time equal those of an earlier answer; `reused`: only the id does. */
  note(id: string, time: string): RequestIdUse {
    const digest = hash('sha256', id, 'buffer')
    const [high, low] = [digest.readUInt32LE(0), digest.readUInt32LE(4)]
    const timeDigest = hash('sha256', time, 'buffer').readUInt32LE(0) || 1
    const known = this.#find(high, low)
    if (known !== -1) {
      if (this.#time[known] === timeDigest) return 'replayed'
      this.#time[known] = 0
      return 'reused'
    }
    if (this.#next === this.#idHigh.length) this.#grow()
    this.#idHigh[this.#next] = high
    this.#idLow[this.#next] = low
    this.#time[this.#next] = timeDigest
    this.#count = Math.max(this.#count, this.#next + 1)
    this.#next = (this.#next + 1) % this.#capacity
    return 'new'
  }

  #find(high: number, low: number): number {
    let at = this.#idHigh.indexOf(high)
    while (at !== -1 && (at >= this.#count || this.#idLow[at] !== low)) at = this.#idHigh.indexOf(high, at + 1)
    return at
  }

  #grow(): void {
    const size = Math.min(this.#idHigh.length * 2, this.#capacity)
    const larger = (old: Uint32Array) => {
      const grown = new Uint32Array(size)
      grown.set(old)
      return grown
    }
    this.#idHigh = larger(this.#idHigh)
    this.#idLow = larger(this.#idLow)
    this.#time = larger(this.#time)
  }
}

/** Request ids kept to detect a replay (docs/sync.md#10-time-of-an-answer). */
const keptAnswers = 10_000
const greatestAgeSeconds = 300
/** Greatest deviation of server time from monotonic time between two agreeing answers, in milliseconds. */
const agreementMs = 5 * secondMs
const runsToStartAgain = 3
/** Beyond this lead a lower server time counts as a correction, not as an old answer. */
const greatestAheadMs = hourMs

const recentMs = 60 * secondMs

const hint =
  'A cache or proxy may replay old answers: exclude the API from caching. If the clock of the tenant was corrected, the next runs succeed'

export interface AnsweredRequest {
  readonly what: string
  /** The resource that the answer lists; null for a single record and an error. */
  readonly resource: ResourceName | null
  readonly request: number
  readonly requestId: string | null
  /** `meta.timestamp` as sent; undefined when absent. */
  readonly timestamp: unknown
  /** The same in milliseconds since the epoch; null when unreadable. */
  readonly serverTime: number | null
  readonly ageSeconds: number | null
  /** The `Date` header in milliseconds since the epoch; null when absent or unreadable. */
  readonly date: number | null
  readonly receivedAt: number
  readonly receivedMonotonic: number
}

interface Instant {
  readonly time: number
  readonly monotonic: number
}

interface Stated {
  readonly time: number | null
  readonly monotonic: number
}

interface Behind extends Instant {
  readonly runs: number
  readonly request: number
}

/** A replay that is only seconds old: a short-lived cache may cause it, so a later request may reach the API. */
export class RecentReplay extends SyncError {}

/** The server time of one tenant, in memory. Every answer is noted here first, so that a stale one is not used. */
export class AnswerTimes implements ServerTimes {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>
  readonly #seen = new SeenAnswers(keptAnswers)
  readonly #last = new Map<ResourceName, Stated>()
  /** The last answer of each resource's last successful run. */
  readonly #settled = new Map<ResourceName, Stated>()
  #newest: Instant | null = null
  /** Newest `Date` header that agrees with the local clock, of answers without a readable time. */
  #newestDate: Instant | null = null
  readonly #before: readonly ReachedTime[]
  /** Newest server time of earlier processes: an earlier answer is old. Null once the server's clock was corrected. */
  #floor: Instant | null
  /** An answer far ahead of both clocks, until a second one confirms it. */
  #ahead: Instant | null = null
  #behind: Behind | null = null
  #startedAgain = false
  #requests = 0

  /** @param before times of the last answers that earlier processes received. */
  constructor(clock: Pick<Clock, 'now' | 'monotonic'>, before: readonly ReachedTime[] = []) {
    this.#clock = clock
    this.#before = before
    const agreed = before.filter(({ serverTime, receivedAt }) => !isSkewed(serverTime - receivedAt))
    const time = Math.max(...agreed.map(({ serverTime }) => serverTime))
    this.#floor = agreed.length === 0 ? null : { time, monotonic: clock.monotonic() }
  }

  now(): number | null {
    return this.#newest === null ? null : later(this.#newest, this.#clock.monotonic())
  }

  /** Server minus local clock in milliseconds; null when unreadable, undefined without a successful run. */
  skewMs(resource: ResourceName): number | null | undefined {
    const last = this.#settled.get(resource)
    if (last === undefined) return undefined
    if (last.time === null) return null
    return Math.round(last.time + this.#clock.monotonic() - last.monotonic) - this.#clock.now()
  }

  settle(resource: ResourceName): void {
    const last = this.#last.get(resource)
    if (last !== undefined) this.#settled.set(resource, last)
  }

  begin(): number {
    return ++this.#requests
  }

  /** Returns deviations of id and time from the specification; throws SyncError `stale_answer` for an old answer. */
  note(answer: AnsweredRequest): readonly Oddity[] {
    const { ageSeconds, requestId, timestamp, serverTime, resource } = answer
    if (ageSeconds !== null && ageSeconds > greatestAgeSeconds) {
      throw stale(answer, `an Age header of ${ageSeconds} s`)
    }
    const oddities: Oddity[] = []
    const requestIdUse = requestId ? this.#seen.note(requestId, typeof timestamp === 'string' ? timestamp : '') : null
    if (requestIdUse === 'replayed') {
      throw stale(answer, 'the requestId and the time of an earlier answer', this.#isRecent(answer))
    }
    if (requestIdUse !== 'new') oddities.push({ kind: 'invalid_id', field: 'meta.requestId' })
    if (serverTime === null) {
      oddities.push({ kind: 'unreadable_time', field: 'meta.timestamp' })
      if (answer.date !== null) this.#noteDate(answer, answer.date)
    } else this.#confirm({ ...answer, serverTime, hasNewId: requestIdUse === 'new' })
    if (this.#startedAgain) oddities.push({ kind: 'order_violation', field: 'meta.timestamp' })
    this.#startedAgain = false
    if (resource !== null) this.#last.set(resource, { time: serverTime, monotonic: answer.receivedMonotonic })
    return oddities
  }

  #isRecent({ serverTime, receivedMonotonic }: AnsweredRequest): boolean {
    if (serverTime === null || this.#newest === null) return false
    return later(this.#newest, receivedMonotonic) - serverTime <= recentMs
  }

  /** Compares a server time with the newest one, and replaces the newest one if another clock confirms it. */
  #confirm(answer: AnsweredRequest & { readonly serverTime: number; readonly hasNewId: boolean }): void {
    const here = { time: answer.serverTime, monotonic: answer.receivedMonotonic }
    const expected = this.#newest === null ? null : later(this.#newest, here.monotonic)
    // An answer without a new id may be a replay, even if its time advances.
    const noteBehind = () => {
      if (answer.hasNewId) this.#noteBehind(here, answer.request)
    }
    this.#refuseEarlier(answer, noteBehind)
    this.#refuseOlder(answer, here.time, this.#reached, noteBehind)
    if (this.#newest === null) this.#refuseUnadvanced(answer, noteBehind)
    this.#behind = null
    const agreesHere = Math.abs(here.time - answer.receivedAt) <= greatestSkewMs
    const agreesBefore = expected !== null && Math.abs(here.time - expected) <= agreementMs
    const confirmed = agreesHere || agreesBefore || (this.#ahead !== null && advances(this.#ahead, here))
    if (confirmed && (expected === null || here.time > expected)) this.#newest = here
    this.#ahead = confirmed ? null : here
  }

  /** An early `Date` proves a cached answer. A recent one proves nothing, because a proxy may have set it. */
  #noteDate(answer: AnsweredRequest, date: number): void {
    this.#refuseOlder(answer, date, this.#reached)
    this.#refuseOlder(answer, date, this.#newestDate)
    const here = { time: date, monotonic: answer.receivedMonotonic }
    const isNewer = this.#newestDate === null || date > later(this.#newestDate, here.monotonic)
    if (isNewer && Math.abs(date - answer.receivedAt) <= greatestSkewMs) this.#newestDate = here
  }

  get #reached(): Instant | null {
    return this.#newest ?? this.#floor
  }

  #refuseOlder(answer: AnsweredRequest, time: number, least: Instant | null, note?: () => void): void {
    if (least === null) return
    const behindMs = later(least, answer.receivedMonotonic) - time
    if (behindMs <= greatestSkewMs) return
    note?.()
    throw stale(answer, `a server time ${Math.round(behindMs / secondMs)} s behind that of earlier answers`)
  }

  /** Request ids are kept within one process, so answers to earlier processes are recognized by their time. */
  #refuseEarlier(answer: AnsweredRequest & { readonly serverTime: number }, note: () => void): void {
    if (this.#floor === null || answer.serverTime >= this.#floor.time - agreementMs) return
    note()
    throw stale(answer, 'a server time before that of an answer to an earlier process')
  }

  /** Refuses an answer from before the restart: since then the local clock advanced, but the server time did not. */
  #refuseUnadvanced(answer: AnsweredRequest & { readonly serverTime: number }, note: () => void): void {
    const isEarlier = ({ serverTime, receivedAt }: ReachedTime) =>
      answer.serverTime <= serverTime &&
      answer.serverTime > serverTime - greatestAheadMs &&
      answer.receivedAt - receivedAt > greatestSkewMs
    if (!this.#before.some(isEarlier)) return
    note()
    throw stale(answer, 'a server time not later than that of an earlier process, while the local clock advanced')
  }

  /** Accepts that the server's clock was set back once the time of new answers advances steadily over three runs. */
  #noteBehind(here: Instant, request: number): void {
    const before = this.#behind
    if (before !== null && request <= before.request) return
    const runs = before !== null && advances(before, here) ? before.runs + 1 : 1
    this.#behind = { ...here, request: this.#requests, runs }
    if (runs < runsToStartAgain) return
    this.#newest = here
    this.#floor = null
    this.#behind = null
    this.#startedAgain = true
  }
}

function later({ time, monotonic }: Instant, at: number): number {
  return time + at - monotonic
}

function advances(before: Instant, after: Instant): boolean {
  return after.time > before.time && Math.abs(after.time - later(before, after.monotonic)) <= agreementMs
}

function stale({ what, requestId }: AnsweredRequest, why: string, isRecent = false): SyncError {
  const details = { hint, status: 200, ...(requestId === null ? {} : { requestId }) }
  return new (isRecent ? RecentReplay : SyncError)('stale_answer', `${what} answered with ${why}`, details)
}
