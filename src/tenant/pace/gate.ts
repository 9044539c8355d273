import type { Clock } from '../../model/clock.ts'
import { toIso } from '../../model/dates.ts'
import { secondMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import { abortedError } from '../wait-for.ts'
import { RateWindow } from './rate-window.ts'
import { maxRetryAfterMs } from './retry-after.ts'

/** A stated wait up to here is waited for; a longer one ends the run. */
export const longestPauseMs = 30 * secondMs

/** What every request of one tenant passes: the request rate, and the waits the server asked for. */
export class Gate {
  readonly #clock: Clock
  readonly #rate: RateWindow
  /** Wall time, because it is told to others. */
  #blockedUntil: number
  /** Monotonic time. */
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, requestsPerSecond: number, blockedUntil: number) {
    this.#clock = clock
    this.#rate = new RateWindow(requestsPerSecond)
    this.#blockedUntil = Number.isFinite(blockedUntil) ? blockedUntil : 0
  }

  /** Wall time in milliseconds before which nothing is sent, 0 when nothing is in the way. */
  get blockedUntil(): number {
    const now = this.#clock.now()
    if (this.#blockedUntil <= now) this.#blockedUntil = 0
    // A wall clock that was set back must not lengthen the wait.
    else this.#blockedUntil = Math.min(this.#blockedUntil, now + maxRetryAfterMs)
    return this.#blockedUntil
  }

  /** Takes note of a wait of `waitMs` stated at the wall time `sinceMs`, for all requests to come. */
  hold(waitMs: number, sinceMs: number): void {
    if (waitMs > longestPauseMs) this.#blockedUntil = Math.max(this.blockedUntil, sinceMs + Math.ceil(waitMs))
    else this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonic() + waitMs)
  }

  /**
   * Waits until a request may start.
   *
   * @throws SyncError `rate_limited` at once while a long wait is on; `aborted` when the signal says so.
   */
  async pass(signal?: AbortSignal): Promise<void> {
    this.#assertOpen()
    await this.sleep(this.#rate.reserve(this.#clock.monotonic()), signal)
    for (;;) {
      this.#assertOpen()
      const left = this.#pausedUntil - this.#clock.monotonic()
      if (left <= 0) break
      await this.sleep(left, signal)
    }
    if (signal?.aborted === true) throw abortedError()
  }

  #assertOpen(): void {
    const retryAt = this.blockedUntil
    if (retryAt === 0) return
    throw new SyncError('rate_limited', `The tenant asked to be left alone until ${toIso(retryAt)}`, {
      hint: 'Lower api.requestsPerSecond or run less often',
      retryAt,
    })
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
}
