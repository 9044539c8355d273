import type { Clock } from '../../model/clock.ts'

/** Milliseconds in one turn of the event loop after which further transactions wait for the next one. */
const turnMs = 20

/**
 * Transactions are synchronous, although they return promises: without a limit, one turn of the event loop would run
 * those of all tenants whose answers have arrived.
 */
export class TransactionLimiter {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** First come, first served. */
  readonly #waiting = new Set<() => void>()
  /** Null between two turns with transactions. */
  #turnEndsAt: number | null = null

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Null if a transaction may begin now; else resolves in a later turn of the event loop: then call again. */
  later(): Promise<void> | null {
    if (this.#turnEndsAt === null) this.#beginTurn()
    return this.#isOver ? new Promise((resolve) => this.#waiting.add(resolve)) : null
  }

  get #isOver(): boolean {
    return this.#turnEndsAt !== null && this.#clock.monotonic() >= this.#turnEndsAt
  }

  #beginTurn(): void {
    this.#turnEndsAt = this.#clock.monotonic() + turnMs
    setImmediate(() => void this.#admit())
  }

  async #admit(): Promise<void> {
    this.#turnEndsAt = null
    if (this.#waiting.size === 0) return
    this.#beginTurn()
    for (const admit of this.#waiting) {
      this.#waiting.delete(admit)
      admit()
      // Let its transaction run before the clock is read again.
      await null
      if (this.#isOver) return
    }
  }
}
