const usualCapacity = 20
const perSuccess = 0.2

/**
 * A success returns a fifth of a retry, a successful retry a whole one: brief errors are bridged, while a broken server
 * costs at most a fifth more requests.
 */
export class RetryBucket {
  readonly #capacity: number
  #tokens: number

  constructor(capacity = usualCapacity) {
    this.#capacity = capacity
    this.#tokens = capacity
  }

  take(): boolean {
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  succeeded(retries: number): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + (retries > 0 ? 1 : perSuccess))
  }
}
