import type { ServerClock } from '../model/server-clock.ts'
import type { RunResult } from '../sync/run-result.ts'

/** The server time of a tenant with a proven identity: none before the first success, nor during its hold. */
export class ProvenClock implements ServerClock {
  readonly #clock: ServerClock
  #proven = false

  constructor(clock: ServerClock) {
    this.#clock = clock
  }

  note({ outcome, reason }: Pick<RunResult, 'outcome' | 'reason'>): void {
    if (outcome === 'success') this.#proven = true
    else if (reason === 'tenant_changed') this.#proven = false
  }

  now(): number | null {
    return this.#proven ? this.#clock.now() : null
  }
}
