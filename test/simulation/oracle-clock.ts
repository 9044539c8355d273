import { type Check, inputsOf } from '../../src/evaluate/check.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import type { RunResult } from '../../src/sync/observer.ts'
import type { WallClock } from './clocks.ts'
import type { Ledger } from './ledger.ts'
import type { Machine } from './machine.ts'
import { noticedSkewMs } from './server-times.ts'

export interface ClockParts {
  readonly wall: WallClock
  readonly ledger: Ledger
  readonly machine: Machine
}

interface Noted {
  /** Stated time minus the world's, in milliseconds; null when it could not be read. */
  readonly wrongMs: number | null
  /** World time at which the run ended. */
  readonly at: number
}

/** The tenant's time of each resource that the daemon must know from successful runs (docs/internals/sync.md#10-time-of-an-answer). */
export class ClockTracker {
  readonly #noted = new Map<ResourceName, Noted>()
  readonly #parts: ClockParts

  constructor(parts: ClockParts) {
    this.#parts = parts
  }

  runEnded({ resource, outcome, pages, durationMs }: RunResult, now: number): void {
    if (pages === 0) return
    const time = this.#parts.ledger.times.of(resource)
    // Where the time changed its kind under way, either may be the one that was kept.
    const isClear = outcome === 'success' && time !== undefined && time.since <= now - durationMs
    if (isClear) this.#noted.set(resource, { wrongMs: time.wrongMs, at: now })
    else this.#noted.delete(resource)
  }

  /**
   * Why the time of an input is not reliable, by the answers that this process received; null when it is, or when no
   * answer was clear.
   */
  flawOf(check: Check): { readonly flaw: 'unreadable' | 'ahead' | 'behind'; readonly what: string } | null {
    const { wall, machine, ledger } = this.#parts
    for (const input of inputsOf(check)) {
      const noted = this.#noted.get(input)
      // A process can die in the instant in which its run ends.
      if (noted === undefined || noted.at <= machine.bornAt) continue
      // Later answers to a proof that differ may count, too.
      if ((ledger.times.of(input)?.since ?? 0) > noted.at) continue
      if (noted.wrongMs === null) return { flaw: 'unreadable', what: `the server time of ${input} cannot be read` }
      const skewMs = noted.wrongMs - wall.offset
      if (Math.abs(skewMs) <= noticedSkewMs) continue
      const what = `the server time of ${input} differs by ${Math.round(skewMs / 1000)} s`
      return { flaw: skewMs < 0 ? 'behind' : 'ahead', what }
    }
    return null
  }
}
