import { Mutex } from 'async-mutex'
import type { Clock } from '../../model/clock.ts'
import { toIso } from '../../model/dates.ts'
import { secondMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import { abortedError } from '../wait-for.ts'
import { maxRetryAfterMs } from './retry-after.ts'

/** Gives out the moments at which requests may start: never more than the rate in any window of a second. */
class RateWindow {
  readonly #windowMs: number
  readonly #starts: number[]
  #next = 0

  /** @param perSecond 0 = no limit; below 1 it is one request in so many seconds. */
  constructor(perSecond: number) {
    const count = perSecond > 0 ? Math.max(1, Math.floor(perSecond)) : 0
    this.#windowMs = count > 0 ? (count * secondMs) / perSecond : 0
    this.#starts = new Array<number>(count).fill(Number.NEGATIVE_INFINITY)
  }

  /** Reserves the next start and tells how long to wait for it, in milliseconds; `nowMs` is monotonic. */
  reserve(nowMs: number): number {
    const oldest = this.#starts[this.#next]
    if (oldest === undefined) return 0
    const start = Math.max(nowMs, oldest + this.#windowMs)
    this.#starts[this.#next] = start
    this.#next = (this.#next + 1) % this.#starts.length
    return start - nowMs
  }
}

/** A stated wait up to here is waited for; a longer one ends the run. */
export const longestPauseMs = 30 * secondMs

/** A stored end that differs from the true one by more than this is stored again; clocks are slewed by less. */
const driftMs = secondMs

export interface RateLimiterOptions {
  readonly clock: Clock
  /** 0 = no limit. */
  readonly requestsPerSecond: number
  /** What an earlier process stored by `storeWait`; 0 for none. */
  readonly blockedUntil: number
  /** How much of it was left then, in milliseconds; absent or null = not known. */
  readonly blockedForMs?: number | null
  /**
   * Stores the wall time before which nothing may be sent, 0 for none, and how much is left of that wait now; false when
   * it could not be stored.
   */
  readonly storeWait: (until: number, forMs: number) => Promise<boolean>
}

/**
 * What every request of one tenant passes: the request rate, and the waits the server asked for. They run on monotonic
 * time, so that no setting of the wall clock shortens or lengthens them; wall time is what is told and what is stored, at
 * once, for the process after this one.
 */
export class RateLimiter {
  readonly #clock: Clock
  readonly #rate: RateWindow
  readonly #storeWait: RateLimiterOptions['storeWait']
  /** Monotonic time before which nothing is sent. */
  #until: number
  /** Wall time as stored last; null when that failed. */
  #stored: number | null
  /** One store after the other: an earlier end must never be written last. */
  readonly #storing = new Mutex()

  constructor({ clock, requestsPerSecond, blockedUntil, blockedForMs, storeWait }: RateLimiterOptions) {
    this.#clock = clock
    this.#rate = new RateWindow(requestsPerSecond)
    this.#storeWait = storeWait
    // What lies further ahead than was left of the wait was left by a clock that has been set back since.
    this.#until = clock.monotonic() + Math.min(blockedUntil - clock.now(), blockedForMs ?? maxRetryAfterMs)
    this.#stored = blockedUntil
  }

  /** Wall time in milliseconds before which nothing is sent, 0 when nothing is in the way. */
  get blockedUntil(): number {
    const left = this.#leftMs
    return left > 0 ? Math.ceil(this.#clock.now() + left) : 0
  }

  /** Takes note of a wait stated now, for all requests to come; settles when the next process would know of it, too. */
  blockFor(waitMs: number): Promise<void> {
    this.#until = Math.max(this.#until, this.#clock.monotonic() + waitMs)
    return this.#store(0)
  }

  /**
   * Waits until a request may start.
   *
   * @throws SyncError `rate_limited` at once while a long wait is on; `aborted` when the signal says so.
   */
  async pass(signal?: AbortSignal): Promise<void> {
    await this.#store(driftMs)
    do {
      for (let left = this.#leftMs; left > 0; left = this.#leftMs) {
        if (left > longestPauseMs) throw this.#refusal()
        await this.sleep(left, signal)
      }
      // Only now, so that those who waited together do not start together.
      await this.sleep(this.#rate.reserve(this.#clock.monotonic()), signal)
    } while (this.#leftMs > 0)
    if (signal?.aborted === true) throw abortedError()
  }

  /** Waits `ms` milliseconds on the tenant's clock; throws SyncError `aborted` when the signal says so. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (!(ms > 0)) return
    try {
      await this.#clock.sleep(ms, signal)
    } catch (error) {
      throw signal?.aborted === true ? abortedError() : error
    }
  }

  get #leftMs(): number {
    return this.#until - this.#clock.monotonic()
  }

  /** Brings what is stored in step with the true end, which moves on the wall clock when that is set, and passes. */
  async #store(toleranceMs: number): Promise<void> {
    const until = this.blockedUntil
    if (this.#stored !== null && Math.abs(until - this.#stored) <= toleranceMs) return this.#storing.waitForUnlock()
    this.#stored = until
    const forMs = Math.ceil(Math.max(0, this.#leftMs))
    await this.#storing.runExclusive(async () => {
      if (!(await this.#storeWait(until, forMs))) this.#stored = null
    })
  }

  #refusal(): SyncError {
    const retryAt = this.blockedUntil
    return new SyncError('rate_limited', `The tenant asked to be left alone until ${toIso(retryAt)}`, {
      hint: 'Lower api.requestsPerSecond or run less often',
      retryAt,
    })
  }
}
