import type { ServerClock } from '../model/server-clock.ts'
import type { RunResult } from '../sync/run-result.ts'

/**
 * The server time of a tenant whose identity is proven: none is given before a run succeeded in this process, nor while
 * the tenant is held for another one's data.
 */
export class ProvenClock implements ServerClock {
  readonly #clock: ServerClock
  #proven = false

  constructor(clock: ServerClock) {
    this.#clock = clock
  }

  /** To be called with the end of each run. */
  note({ outcome, reason }: Pick<RunResult, 'outcome' | 'reason'>): void {
    if (outcome === 'success') this.#proven = true
    else if (reason === 'tenant_changed') this.#proven = false
  }

  now(): number | null {
    return this.#proven ? this.#clock.now() : null
  }
}
