import { Mutex } from 'async-mutex'
import { SyncError } from '../model/errors.ts'
import type { Log } from '../model/log.ts'
import { dayMs, secondMs, toIso } from '../model/time.ts'
import { abortedError, waitFor } from './deadline.ts'
import type { TenantClientOptions } from './options.ts'

/** Advice for the operator when a tenant answers 429. */
export const rateAdvice = 'Set a lower api.requestsPerSecond (0 is no limit) or run less often'

/** A longer stated wait ends the run. */
export const longestPauseMs = 30 * secondMs

/** No stated wait is longer. */
export const maxRetryAfterMs = dayMs

/** Smaller deviations of the stored end are ignored: clocks are slewed by less. */
const driftMs = secondMs

const successesToGrow = 20
const maxRetries = 4
const usualBucket = 20
const perSuccess = 0.2

export interface GateOptions
  extends Pick<TenantClientOptions, 'blockedForMs' | 'clock' | 'random' | 'retries' | 'storeWait'> {
  /** 0 = no limit; below 1 one request in more than a second. */
  readonly requestsPerSecond: number
  readonly blockedUntil: number
  readonly log: Log
}

/**
 * What one tenant is asked for, and when (docs/internals/sync.md#14-waits): the rate in any window of a second, the requests in
 * flight (each 429 halves them, 20 successes permit one more), retries from one budget, and stated waits in monotonic
 * time, whose end is stored in wall time for the next process.
 */
export class Gate {
  readonly #options: GateOptions
  /** Monotonic starts of the last requests, as a ring, and its window. */
  readonly #starts: number[]
  readonly #windowMs: number
  #next = 0
  #limit = Number.POSITIVE_INFINITY
  #inFlight = 0
  #successes = 0
  #waiting: (() => void)[] = []
  /** A call that succeeds after retries returns one, another success a fifth: at most a fifth more requests. */
  #retries: number
  /** Monotonic time before which nothing is sent. */
  #until: number
  #stored: number | null
  /** Serialized, so that an earlier end is never written last. */
  readonly #storing = new Mutex()

  constructor(options: GateOptions) {
    const { clock, requestsPerSecond: perSecond, blockedUntil, blockedForMs, retries = usualBucket } = options
    this.#options = options
    const count = perSecond > 0 ? Math.max(1, Math.floor(perSecond)) : 0
    this.#starts = new Array<number>(count).fill(Number.NEGATIVE_INFINITY)
    this.#windowMs = count > 0 ? (count * secondMs) / perSecond : 0
    this.#retries = retries
    // At most the stored remaining wait: a longer one means that the clock was set back since.
    this.#until = clock.monotonic() + Math.min(blockedUntil - clock.now(), blockedForMs ?? maxRetryAfterMs)
    this.#stored = blockedUntil
  }

  /** Wall time in milliseconds since the epoch before which nothing is sent; 0 = no wait. */
  get blockedUntil(): number {
    return this.leftMs > 0 ? Math.ceil(this.#options.clock.now() + this.leftMs) : 0
  }

  /** Milliseconds for which nothing is sent; 0 = no wait. */
  get leftMs(): number {
    return Math.max(0, this.#until - this.#options.clock.monotonic())
  }

  async blockFor(waitMs: number): Promise<void> {
    this.#until = Math.max(this.#until, this.#options.clock.monotonic() + waitMs)
    await this.#store(0)
  }

  /**
   * Waits until a request may be sent; it counts as in flight until the result is disposed of. Throws SyncError
   * `rate_limited` at once during a long wait, or `aborted`.
   */
  async pass(signal?: AbortSignal): Promise<Disposable> {
    await this.#store(driftMs)
    for (;;) {
      await this.#waitOut(signal)
      while (this.#inFlight >= this.#limit) {
        await waitFor(new Promise<void>((resolve) => this.#waiting.push(resolve)), signal)
      }
      this.#inFlight++
      using entered = new DisposableStack()
      entered.defer(() => this.#leave())
      // Reserved after the wait, so that waiting requests do not start together.
      if (this.leftMs === 0) await this.sleep(this.#reserve(), signal)
      if (signal?.aborted === true) throw abortedError()
      if (this.leftMs === 0) return entered.move()
    }
  }

  /** The tenant answered 429. */
  refused(): void {
    this.#limit = Math.max(1, Math.floor(Math.min(this.#limit, this.#inFlight) / 2))
    this.#successes = 0
  }

  /** The tenant answered with a success. */
  succeeded(): void {
    this.#successes++
    if (this.#successes < successesToGrow) return
    this.#successes = 0
    this.#limit++
    this.#wake()
  }

  /** Takes a retry from the budget; `retries` were made for the same page. */
  mayRetry(retries: number): boolean {
    if (retries >= maxRetries || this.#retries < 1) return false
    this.#retries -= 1
    return true
  }

  /** Full jitter over 1, 2, 4, 8 s, so that clients do not retry together. @param share of these, from 0 to 1. */
  backOff(retries: number, signal?: AbortSignal, share = this.#options.random()): Promise<void> {
    return this.sleep(Math.floor(share * secondMs * 2 ** Math.min(retries, 3)), signal)
  }

  /** A call succeeded after so many retries. */
  refill(retries: number): void {
    const { retries: most = usualBucket } = this.#options
    this.#retries = Math.min(most, this.#retries + (retries > 0 ? 1 : perSuccess))
  }

  /** @throws SyncError `aborted`. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (!(ms > 0)) return
    try {
      await this.#options.clock.sleep(ms, signal)
    } catch (error) {
      throw signal?.aborted === true ? abortedError() : error
    }
  }

  async #waitOut(signal: AbortSignal | undefined): Promise<void> {
    for (let left = this.leftMs; left > 0; left = this.leftMs) {
      if (left > longestPauseMs) {
        const retryAt = this.blockedUntil
        const message = `The tenant accepts no requests until ${toIso(retryAt)}`
        throw new SyncError('rate_limited', message, { hint: rateAdvice, retryAt })
      }
      await this.sleep(left, signal)
    }
  }

  /** Reserves the next start; returns the wait for it in milliseconds. */
  #reserve(): number {
    const oldest = this.#starts[this.#next]
    if (oldest === undefined) return 0
    const now = this.#options.clock.monotonic()
    const start = Math.max(now, oldest + this.#windowMs)
    this.#starts[this.#next] = start
    this.#next = (this.#next + 1) % this.#starts.length
    return start - now
  }

  #leave(): void {
    this.#inFlight--
    this.#wake()
  }

  /** Each waiter checks again, in order, so that an aborted one does not occupy a slot. */
  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume()
  }

  /** Updates the stored end, which changes when the wall clock is set or the wait is over. */
  async #store(toleranceMs: number): Promise<void> {
    const until = this.blockedUntil
    if (this.#stored !== null && Math.abs(until - this.#stored) <= toleranceMs) return this.#storing.waitForUnlock()
    this.#stored = until
    const forMs = Math.ceil(this.leftMs)
    await this.#storing.runExclusive(async () => {
      try {
        await this.#options.storeWait?.(until, forMs)
      } catch (error) {
        // The wait still applies in this process.
        this.#stored = null
        const detail = String(error)
        this.#options.log.warn({ detail }, 'A wait that the tenant asked for could not be stored for a restart')
      }
    })
  }
}
