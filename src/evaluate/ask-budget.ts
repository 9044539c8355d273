import type { Clock } from '../model/clock.ts'
import { secondMs } from '../model/durations.ts'
import type { Log } from '../model/log.ts'

/** The share of the time that own checks may take, and what they may take at once. */
const share = 1 / 4
const burstMs = 60 * secondMs

/** Keeps own checks, which may be slow and many, from holding up what else is to be judged. */
export interface AskBudget {
  /** @throws Postponed when own checks have had their share for now. */
  over<T>(ask: () => Promise<T>): Promise<T>
}

/** There is no time for an own check now: its last verdict stays, and ages. */
export class Postponed extends Error {
  override readonly name = 'Postponed'
}

export function askBudget(clock: Pick<Clock, 'monotonic'>, log: Log): AskBudget {
  let leftMs = burstMs
  let at = clock.monotonic()
  let told = false
  return {
    async over(ask) {
      const began = clock.monotonic()
      leftMs = Math.min(burstMs, leftMs + (began - at) * share)
      at = began
      if (leftMs === burstMs) told = false
      if (leftMs <= 0) {
        if (!told) log.warn({}, 'Own checks take more than their share of the time; the others are put off')
        told = true
        throw new Postponed('Own checks have had their share of the time')
      }
      try {
        return await ask()
      } finally {
        at = clock.monotonic()
        leftMs -= at - began
      }
    },
  }
}
