import { Mutex } from 'async-mutex'
import type { Clock } from '../../model/clock.ts'
import { toIso } from '../../model/dates.ts'
import { secondMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import { abortedError } from '../deadline.ts'
import { Concurrency } from './concurrency.ts'
import { maxRetryAfterMs } from './retry-after.ts'

/** Advice for the operator when a tenant answers 429. */
export const rateAdvice = 'Set a lower api.requestsPerSecond (0 is no limit) or run less often'

/** Limits the requests in any window of a second to the rate. */
class RateWindow {
  readonly #windowMs: number
  readonly #starts: number[]
  #next = 0

  /** @param perSecond 0 = no limit; below 1 one request in more than a second. */
  constructor(perSecond: number) {
    const count = perSecond > 0 ? Math.max(1, Math.floor(perSecond)) : 0
    this.#windowMs = count > 0 ? (count * secondMs) / perSecond : 0
    this.#starts = new Array<number>(count).fill(Number.NEGATIVE_INFINITY)
  }

  /** Reserves the next start; returns the wait for it in milliseconds. `nowMs` is monotonic. */
  reserve(nowMs: number): number {
    const oldest = this.#starts[this.#next]
    if (oldest === undefined) return 0
    const start = Math.max(nowMs, oldest + this.#windowMs)
    this.#starts[this.#next] = start
    this.#next = (this.#next + 1) % this.#starts.length
    return start - nowMs
  }
}

/** A longer stated wait ends the run. */
export const longestPauseMs = 30 * secondMs

/** Smaller deviations of the stored end are ignored: clocks are slewed by less. */
const driftMs = secondMs

export interface RateLimiterOptions {
  readonly clock: Clock
  readonly requestsPerSecond: number
  readonly blockedUntil: number
  /** Remaining wait when it was stored, in milliseconds; absent or null = unknown. */
  readonly blockedForMs?: number | null
  /** Stores the end of the wait in wall time (0 = none) and the remaining milliseconds; false if that failed. */
  readonly storeWait: (until: number, forMs: number) => Promise<boolean>
}

/**
 * Limits rate and concurrency, and applies stated waits in monotonic time; stores their end in wall time for the next
 * process. A wait applies to the whole tenant. If an endpoint states one again while others succeed, it applies to that
 * endpoint.
 */
export class RateLimiter {
  readonly #clock: Clock
  readonly #rate: RateWindow
  readonly #concurrency = new Concurrency()
  readonly #storeWait: RateLimiterOptions['storeWait']
  /** Monotonic time before which nothing is sent. */
  #until: number
  /** By endpoint, the monotonic time before which nothing is sent to it. */
  readonly #ends = new Map<string, number>()
  /** Endpoints without a success since they stated a wait; true = another endpoint succeeded since. */
  readonly #waiting = new Map<string, boolean>()
  #stored: number | null
  /** Serialized, so that an earlier end is never written last. */
  readonly #storing = new Mutex()

  constructor({ clock, requestsPerSecond, blockedUntil, blockedForMs, storeWait }: RateLimiterOptions) {
    this.#clock = clock
    this.#rate = new RateWindow(requestsPerSecond)
    this.#storeWait = storeWait
    // At most the stored remaining wait: a longer one means that the clock was set back since.
    this.#until = clock.monotonic() + Math.min(blockedUntil - clock.now(), blockedForMs ?? maxRetryAfterMs)
    this.#stored = blockedUntil
  }

  get blockedUntil(): number {
    const left = this.leftMs(null)
    return left > 0 ? Math.ceil(this.#clock.now() + left) : 0
  }

  /** @param endpoint that stated the wait; null for one outside of the API. */
  async blockFor(waitMs: number, endpoint: string | null = null): Promise<void> {
    const end = this.#clock.monotonic() + waitMs
    if (endpoint !== null && this.#waiting.get(endpoint) === true) {
      this.#ends.set(endpoint, Math.max(end, this.#ends.get(endpoint) ?? end))
      return
    }
    if (endpoint !== null) this.#waiting.set(endpoint, false)
    this.#until = Math.max(this.#until, end)
    await this.#store(0)
  }

  /** Milliseconds for which nothing is sent to the endpoint; 0 or less = no wait. */
  leftMs(endpoint: string | null): number {
    const end = endpoint === null ? undefined : this.#ends.get(endpoint)
    return Math.max(this.#until, end ?? this.#until) - this.#clock.monotonic()
  }

  /** The tenant answered 429. */
  refused(): void {
    this.#concurrency.refused()
  }

  succeeded(endpoint: string): void {
    this.#concurrency.succeeded()
    if (this.#waiting.size === 0) return
    this.#waiting.delete(endpoint)
    for (const other of this.#waiting.keys()) this.#waiting.set(other, true)
  }

  /**
   * Waits until a request may be sent; it counts as in flight until the result is disposed of. Throws SyncError
   * `rate_limited` at once during a long wait, or `aborted`.
   */
  async pass(signal?: AbortSignal, endpoint: string | null = null): Promise<Disposable> {
    await this.#store(driftMs)
    for (;;) {
      await this.#waitFor(endpoint, signal)
      await this.#concurrency.enter(signal)
      using entered = new DisposableStack()
      entered.defer(() => this.#concurrency.leave())
      // Reserved after the wait, so that waiting requests do not start together.
      if (this.leftMs(endpoint) <= 0) await this.sleep(this.#rate.reserve(this.#clock.monotonic()), signal)
      if (signal?.aborted === true) throw abortedError()
      if (this.leftMs(endpoint) <= 0) return entered.move()
    }
  }

  async #waitFor(endpoint: string | null, signal: AbortSignal | undefined): Promise<void> {
    for (let left = this.leftMs(endpoint); left > 0; left = this.leftMs(endpoint)) {
      if (left > longestPauseMs) throw this.#refusal(left, endpoint)
      await this.sleep(left, signal)
    }
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (!(ms > 0)) return
    try {
      await this.#clock.sleep(ms, signal)
    } catch (error) {
      throw signal?.aborted === true ? abortedError() : error
    }
  }

  /** Updates the stored end, which changes when the wall clock is set or the wait is over. */
  async #store(toleranceMs: number): Promise<void> {
    const until = this.blockedUntil
    if (this.#stored !== null && Math.abs(until - this.#stored) <= toleranceMs) return this.#storing.waitForUnlock()
    this.#stored = until
    const forMs = Math.ceil(Math.max(0, this.leftMs(null)))
    await this.#storing.runExclusive(async () => {
      if (!(await this.#storeWait(until, forMs))) this.#stored = null
    })
  }

  #refusal(leftMs: number, endpoint: string | null): SyncError {
    const retryAt = Math.ceil(this.#clock.now() + leftMs)
    const what = leftMs > this.leftMs(null) ? `The endpoint ${endpoint ?? ''}` : 'The tenant'
    return new SyncError('rate_limited', `${what} accepts no requests until ${toIso(retryAt)}`, {
      hint: rateAdvice,
      retryAt,
    })
  }
}
