const usualCapacity = 20
const perSuccess = 0.2

/**
 * The retries one tenant may cost. A first-time success gives a fifth of a retry back, a success by retrying a whole one
 * (it was worth it): a server that trips now and then is ridden out, while one that is down, or one endpoint that is,
 * costs at most a fifth more requests in the long run.
 */
export class RetryBucket {
  readonly #capacity: number
  #tokens: number

  constructor(capacity = usualCapacity) {
    this.#capacity = capacity
    this.#tokens = capacity
  }

  /** Takes one retry; false when there is none left. */
  take(): boolean {
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  succeeded(retries: number): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + (retries > 0 ? 1 : perSuccess))
  }
}
