import { secondMs } from '../../model/durations.ts'

/** Gives out the moments at which requests may start: never more than the rate in any window of a second. */
export class RateWindow {
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
