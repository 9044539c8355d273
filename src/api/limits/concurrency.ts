import { waitFor } from '../deadline.ts'

const successesToGrow = 20

/** Limits the requests in flight: each 429 halves the limit, 20 successes raise it by one. */
export class Concurrency {
  #limit = Number.POSITIVE_INFINITY
  #inFlight = 0
  #successes = 0
  #waiting: (() => void)[] = []

  /** Waits for its turn; throws SyncError `aborted`. Each `enter` needs a `leave`. */
  async enter(signal?: AbortSignal): Promise<void> {
    while (this.#inFlight >= this.#limit) {
      await waitFor(new Promise<void>((resolve) => this.#waiting.push(resolve)), signal)
    }
    this.#inFlight++
  }

  leave(): void {
    this.#inFlight--
    this.#wake()
  }

  refused(): void {
    this.#limit = Math.max(1, Math.floor(Math.min(this.#limit, this.#inFlight) / 2))
    this.#successes = 0
  }

  succeeded(): void {
    this.#successes++
    if (this.#successes < successesToGrow) return
    this.#successes = 0
    this.#limit++
    this.#wake()
  }

  /** Each waiter checks again, in order, so that an aborted one does not occupy a slot. */
  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume()
  }
}
