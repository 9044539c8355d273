import { hash } from 'node:crypto'
import type { Clock } from '../model/clock.ts'
import { SyncError } from '../model/errors.ts'
import type { Oddity } from '../model/reading.ts'
import type { ResourceName } from '../model/resource-names.ts'
import type { RunResult, WrittenAnswer } from '../model/run-result.ts'
import { greatestSkewMs, isSkewed, type ReachedTime, replayHint, type SkewOf } from '../model/server-clock.ts'
import { secondMs } from '../model/time.ts'
import type { Envelope } from './transport/envelope.ts'
import type { Answer } from './transport/outcome.ts'

/** Request ids kept to detect a replay: those of more than 300 s at the default rate (docs/internals/sync.md#10-time-of-an-answer). */
const keptAnswers = 5000
const greatestAgeSeconds = 300
const recentMs = 60 * secondMs

export interface AnsweredRequest
  extends Pick<Answer, 'ageSeconds' | 'date' | 'receivedAt' | 'receivedMonotonic'>,
    Pick<Envelope, 'requestId' | 'serverTime' | 'timestamp'> {
  readonly what: string
}

interface ClockedRun extends Pick<RunResult, 'resource' | 'outcome' | 'reason'> {
  readonly answered: Omit<WrittenAnswer, 'at'> | null
}

interface Instant {
  readonly time: number
  readonly monotonic: number
}

/** A replay that is only seconds old: a short-lived cache may cause it, so a retry may reach the API. */
export class RecentReplay extends SyncError {}

/** The server time of one tenant, in memory. Every answer is noted here first, so that a stale one is not used. */
export class AnswerTimes {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>
  /** By digest of a request id, that of its time; 0 = the id came with several times, so it identifies no answer. */
  readonly #seen = new Map<number, number>()
  /** The last answer of each resource that was written; without a time where that is unreadable. */
  readonly #settled = new Map<ResourceName, Partial<Instant>>()
  /** The newest server time that the local clock confirms. */
  #newest: Instant | null = null
  /** True if the local clock agreed with the last answer that the newest time agrees with, too. */
  #agreed = true
  #isProven = false
  /** The newest confirmed one of earlier processes. */
  readonly #before: ReachedTime | undefined
  /** The newest one of earlier processes, confirmed or not. */
  readonly #reached: ReachedTime | undefined

  /** @param before times of the last answers that earlier processes received. */
  constructor(clock: Pick<Clock, 'now' | 'monotonic'>, before: readonly ReachedTime[] = []) {
    this.#clock = clock
    const newestFirst = before.toSorted((a, b) => b.serverTime - a.serverTime)
    this.#reached = newestFirst[0]
    this.#before = newestFirst.find(({ serverTime, receivedAt }) => !isSkewed(serverTime - receivedAt))
  }

  /**
   * Confirmed server time advanced by monotonic time, in milliseconds since the epoch; null before the first successful
   * run and during a hold of the tenant, when it is not proven whose time it is.
   */
  now(): number | null {
    return this.#isProven ? this.#serverNow() : null
  }

  /** Server minus local clock in milliseconds; null when unreadable, undefined without a successful run. */
  skewMs(resource: ResourceName): ReturnType<SkewOf> {
    const settled = this.#settled.get(resource)
    if (settled === undefined) return undefined
    const { time, monotonic = 0 } = settled
    return time === undefined ? null : Math.round(time + this.#clock.monotonic() - monotonic) - this.#clock.now()
  }

  /** Call after each run: the time of one that wrote nothing does not apply to older data. */
  runEnded({ resource, outcome, reason, answered }: ClockedRun): void {
    if (reason === 'tenant_changed') this.#isProven = false
    if (outcome === 'success') this.#isProven = true
    if (answered === null) return
    const { serverTime, monotonic } = answered
    this.#settled.set(resource, { ...(serverTime !== null && { time: serverTime }), monotonic })
  }

  /** Returns deviations of id and time from the specification; throws SyncError `stale_answer` for an old answer. */
  note(answer: AnsweredRequest): readonly Oddity[] {
    const { ageSeconds, requestId, serverTime, receivedAt, receivedMonotonic: monotonic } = answer
    if (ageSeconds !== null && ageSeconds > greatestAgeSeconds) {
      throw stale(answer, `an Age header of ${ageSeconds} s`)
    }
    const oddities: Oddity[] = []
    if (!requestId || this.#isReused(answer, requestId)) oddities.push({ kind: 'invalid_id', field: 'meta.requestId' })
    if (serverTime === null) {
      // A replay to a new process, which does not know the id, shows by its Date header only.
      if (answer.date !== null) this.#assertNotBehind(answer, answer.date)
      oddities.push({ kind: 'unreadable_time', field: 'meta.timestamp' })
    } else {
      this.#assertNotBehind(answer, serverTime)
      const isConfirmed = !isSkewed(serverTime - receivedAt)
      if (!isSkewed(serverTime - (this.#serverNow() ?? serverTime))) this.#agreed = isConfirmed
      if (isConfirmed && serverTime > (this.#newest?.time ?? 0)) this.#newest = { time: serverTime, monotonic }
    }
    return oddities
  }

  /** True if another answer had the id; throws for one that had the time, too. */
  #isReused(answer: AnsweredRequest, requestId: string): boolean {
    const id = hash('sha256', requestId, 'buffer').readUIntLE(0, 6)
    const stated = answer.serverTime === null ? `${answer.timestamp} ${answer.date}` : String(answer.timestamp)
    const time = hash('sha256', stated, 'buffer').readUIntLE(0, 3) + 1
    const known = this.#seen.get(id)
    if (known === time) throw stale(answer, 'the requestId and the time of an earlier answer', this.#isRecent(answer))
    this.#seen.set(id, known === undefined ? time : 0)
    if (this.#seen.size > keptAnswers) {
      const [oldest = id] = this.#seen.keys()
      this.#seen.delete(oldest)
    }
    return known !== undefined
  }

  #isRecent({ serverTime }: AnsweredRequest): boolean {
    const now = this.#serverNow()
    return serverTime !== null && now !== null && now - serverTime <= recentMs
  }

  #serverNow(): number | null {
    return this.#newest === null ? null : this.#newest.time + this.#clock.monotonic() - this.#newest.monotonic
  }

  #assertNotBehind(answer: AnsweredRequest, serverTime: number): void {
    const newest = this.#newest?.time ?? this.#before?.serverTime ?? serverTime
    const agrees = !isSkewed(serverTime - answer.receivedAt)
    if (newest - serverTime > greatestSkewMs) {
      // Both clocks had been wrong: what they confirmed then is not confirmed any more.
      if (agrees && this.#agreed && newest - answer.receivedAt > greatestSkewMs) {
        this.#newest = null
        return
      }
      const seconds = Math.round((newest - serverTime) / secondMs)
      throw stale(answer, `a server time ${seconds} s behind that of an earlier answer`)
    }
    if (this.#newest !== null) return
    // Request ids are kept within one process: a replay from before it shows by a time that has not advanced. What no
    // local clock confirmed, an answer that it confirms may correct.
    const earlier = agrees ? this.#before : this.#reached
    if (earlier === undefined || serverTime > earlier.serverTime) return
    const advanced = Math.max(answer.receivedAt - earlier.receivedAt, earlier.serverTime - serverTime)
    if (advanced <= greatestSkewMs) return
    throw stale(answer, 'a server time not later than that of an earlier process, while the local clock advanced')
  }
}

function stale({ what, requestId }: AnsweredRequest, why: string, isRecent = false): SyncError {
  const details = { hint: replayHint, status: 200, requestId: requestId ?? undefined }
  return new (isRecent ? RecentReplay : SyncError)('stale_answer', `${what} answered with ${why}`, details)
}
